// LinkWorld: what a link to an entity is made with: the broker, the connection that it is on, its
// transactions, and for whom it asks. Used by all links of this room.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "broker/doors/amqp/connection/door_errors.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/requests/requests.h"

namespace wharf::amqp {

// As the client hears it; the time is that of the machine.
inline Error ErrorOn(const std::string& path, const Status& status, const TrackingId& tracking_id) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return ErrorOf(status, {.entity = path, .tracking_id = tracking_id, .at = now});
}

class TransactionNode;

struct LinkWorld {
  Requests& requests;
  OpenConnection& connection;
  TransactionNode& transactions;
  LinkId id;
  // Of the entity, as the client wrote it.
  std::string path;
  bool serves_jms = false;

  // Null when the link is gone.
  Link* link() const { return connection.endpoint().FindLink(id); }
  Caller CallerWith(access::PermitPtr permit) const {
    return {.peer = connection.peer(),
            .door = Door::kAmqp,
            .tracking_id = NewTrackingId(),
            .permit = std::move(permit)};
  }

  // Answer the client's attach; nothing if the link is gone.
  void Accept(Attach attach) const {
    Link* const there = link();
    if (there == nullptr) return;
    there->SendAttach(std::move(attach));
    connection.NoteAccepted(id);
  }
  void Refuse(const Status& why, const TrackingId& tracking_id) const {
    Link* const there = link();
    if (there == nullptr) return;
    Error error = ErrorOn(path, why, tracking_id);
    connection.NoteRefused({"its link was refused", error, path, tracking_id});
    there->Refuse(std::move(error));
  }
  // Ends the link, and tells why.
  void Detach(const Status& why) const {
    Link* const there = link();
    if (there == nullptr) return;
    const TrackingId tracking_id = NewTrackingId();
    Error error = ErrorOn(path, why, tracking_id);
    // It was there when the link came to be.
    if (why.code() == ErrorCode::kMessagingEntityNotFound) {
      error.condition.text = amqp_error::kResourceDeleted;
    }
    connection.NoteError({"its link ended", error, path, tracking_id});
    there->SendDetach(true, std::move(error));
  }
  // What is told of a message.
  Rejected RejectedFor(const Status& why, const TrackingId& tracking_id) const {
    Error error = ErrorOn(path, why, tracking_id);
    connection.NoteError({"it was told", error, path, tracking_id});
    return Rejected{std::move(error)};
  }
};

// What each request counts for at least while it is not answered: so reading stops long before a
// session has as many deliveries unsettled as end it, however small they are, and a close waits
// for each.
inline constexpr std::size_t kAskedBytesMin = 512;

// Of an answer that is looked at on the strand only.
struct LookAway {
  template <typename Answer>
  void operator()(const Answer&) const {}
};

// Asks the broker in the name of a link. `bytes`: what that is worth while it is not answered.
// `then` is called on the strand, with what was answered, which is its own to change, if the
// connection is still there. Before that `arrived` is, on the broker's thread, whatever has become
// of the connection.
template <typename Request, typename Then, typename Arrived = LookAway>
void AskFor(const LinkWorld& world, const Caller& caller, Request request, std::size_t bytes,
            Then then, Arrived arrived = {}) {
  bytes = std::max(bytes, kAskedBytesMin);
  OpenConnection& connection = world.connection;
  connection.unanswered_bytes().TakeAnyway(bytes);
  world.requests.Ask(
      caller, std::move(request),
      [post = connection.poster(), &connection, bytes, then = std::move(then),
       arrived = std::move(arrived)](Result<typename Request::Response> answer) mutable {
        arrived(answer);
        // Posts are copied, and answers may be large.
        auto held = std::make_shared<Result<typename Request::Response>>(std::move(answer));
        post([&connection, bytes, then = std::move(then), held = std::move(held)]() mutable {
          connection.unanswered_bytes().GiveBack(bytes);
          then(*held);
        });
      });
}

}  // namespace wharf::amqp
