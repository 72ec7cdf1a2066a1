#include "tools/crash/routes/route_taker.h"

#include "tools/client/error.h"
#include "tools/crash/clients/wire.h"

namespace wharf::crash {
namespace {

constexpr Duration kWait = std::chrono::milliseconds(100);

Status StatusOf(const v1::TokenResult& result) {
  return result.has_error() ? client::ToStatus(result.error()) : Status::Ok();
}

}  // namespace

void RouteTaker::Run(RouteLife& life, Dice& dice) {
  client::Client client(life.address, RouteClientOptions());
  v1::ReceiveRequest request;
  request.set_entity_path(PathOf(place_));
  SetDuration(kWait, request.mutable_max_wait());
  Status status;
  while (!life.progress.is_over() && !IsGone(status)) {
    request.set_max_messages(static_cast<std::uint32_t>(dice.Between(1, 20)));
    const Result<v1::ReceiveResponse> received = client.Receive(request);
    status = received.status();
    if (received.ok() && received->messages_size() > 0) status = Complete(life, client, *received);
  }
}

Status RouteTaker::Complete(RouteLife& life, client::Client& client,
                            const v1::ReceiveResponse& received) {
  std::vector<std::string> tokens;
  std::vector<MessageId> ids;
  for (const v1::ReceivedMessage& message : received.messages()) {
    const SeenMessage seen = Seen(message);
    life.ledger.NoteDelivered(place_, {seen.id, seen.body});
    life.ledger.NoteCompleting(place_, seen.id);
    ids.push_back(seen.id);
    tokens.push_back(message.lock_token());
  }
  v1::SettleRequest request;
  request.set_entity_path(PathOf(place_));
  *request.mutable_settlement() = MakeSettlement({}, tokens);
  const Result<v1::SettleResponse> settled = client.Settle(request);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Status status =
        settled.ok() ? StatusOf(settled->results(static_cast<int>(i))) : settled.status();
    life.ledger.NoteCompleted(place_, ids[i], FateOf(status));
    if (status.ok()) life.progress.NoteAcknowledged();
  }
  return settled.status();
}

}  // namespace wharf::crash
