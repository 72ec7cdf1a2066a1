#include "replication/peers/relay/relays.h"

#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

namespace wharf {

namespace asio = boost::asio;
using asio::generic::stream_protocol;

void Relays::Bring(Member to, RelayedClient client, Descriptor connection, Undone undone) {
  if (brought_ == kMax) return undone(std::move(connection));
  ++brought_;
  waiting_.push_back({std::move(to), std::move(client), std::move(connection), std::move(undone)});
  DialNext();
}

void Relays::DialNext() {
  if (dials_ == kDialsMax || waiting_.empty()) return;
  ++dials_;
  const auto place = carried_.emplace(carried_.end());
  place->is_brought = true;
  place->brought = std::move(waiting_.front());
  waiting_.pop_front();
  place->other = place->brought.to.node;
  place->dial =
      std::make_unique<RelayDial>(world_, place->brought.to, place->brought.client,
                                  [this, place](Result<std::shared_ptr<FramedStream>> stream) {
                                    OnDialled(place, std::move(stream));
                                  });
}

void Relays::OnDialled(Place place, Result<std::shared_ptr<FramedStream>> stream) {
  --dials_;
  // What is calling is destroyed when it has returned.
  asio::post(world_.strand, [dial = std::shared_ptr<RelayDial>(std::move(place->dial))] {});
  Waiting brought = std::exchange(place->brought, Waiting());
  if (stream.ok()) {
    Carry(place, *std::move(stream), std::move(brought.connection));
    return DialNext();
  }
  const Status& why = stream.status();
  if (world_.news.IsNews(brought.to.name + why.message())) {
    spdlog::warn("a client could not be brought to {}: {}", brought.to.name, why.message());
  }
  Forget(place);
  brought.undone(std::move(brought.connection));
  DialNext();
}

void Relays::Take(NodeId from, std::shared_ptr<FramedStream> stream, Descriptor connection) {
  ++taken_;
  const auto place = carried_.emplace(carried_.end());
  place->other = from;
  Carry(place, std::move(stream), std::move(connection));
}

void Relays::Carry(Place place, std::shared_ptr<FramedStream> stream, Descriptor connection) {
  Relay::Socket socket(world_.strand);
  boost::system::error_code error;
  socket.assign(stream_protocol(AF_UNSPEC, 0), connection.get(), error);
  if (!error) connection.Release();
  place->relay = std::make_shared<Relay>(std::move(stream), std::move(socket),
                                         [this, place] { Forget(place); });
  place->relay->Start();
}

void Relays::Forget(Place place) {
  --(place->is_brought ? brought_ : taken_);
  carried_.erase(place);
}

// Who waits to be brought there is not kept waiting.
void Relays::DropOf(NodeId node) {
  std::vector<Waiting> undone;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (next->to.node != node) {
      ++next;
      continue;
    }
    --brought_;
    undone.push_back(std::move(*next));
    next = waiting_.erase(next);
  }
  for (auto next = carried_.begin(); next != carried_.end();) {
    const Place place = next++;
    if (place->other != node) continue;
    if (place->relay != nullptr) place->relay->Drop();
    if (place->dial != nullptr) {
      --dials_;
      undone.push_back(std::move(place->brought));
      place->dial.reset();  // It tells nobody any more.
    }
    Forget(place);
  }
  for (Waiting& each : undone) each.undone(std::move(each.connection));
  while (dials_ < kDialsMax && !waiting_.empty()) DialNext();
}

void Relays::Stop() {
  waiting_.clear();
  for (Carried& carried : carried_) {
    if (carried.relay != nullptr) carried.relay->Drop();
  }
  carried_.clear();
}

}  // namespace wharf
