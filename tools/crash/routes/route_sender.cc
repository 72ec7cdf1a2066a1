#include "tools/crash/routes/route_sender.h"

#include <utility>

#include "tools/client/error.h"
#include "tools/crash/clients/wire.h"

namespace wharf::crash {
namespace {

// Small, so that a stream has several requests on their way rather than one large one, and others
// get their turn.
constexpr client::SenderOptions kOptions = {
    .window_messages = 8, .window_bytes = 4 << 20, .request_messages_max = 2};

Status StatusOf(const Result<v1::SendResponse>& response) {
  if (!response.ok()) return response.status();
  const v1::SendResult& first = response->results(0);
  return first.has_error() ? client::ToStatus(first.error()) : Status::Ok();
}

}  // namespace

void RouteSender::Run(RouteLife& life, Dice& dice) {
  client::Client client(life.address, RouteClientOptions());
  bool goes_on = true;
  while (goes_on && !life.progress.is_over()) {
    goes_on = dice.Chance(50) ? RunStream(life, client, dice) : SendBatch(life, client, dice);
  }
}

bool RouteSender::RunStream(RouteLife& life, client::Client& client, Dice& dice) {
  const auto sender = client.CreateSender(PathOf(target_), kOptions);
  for (std::uint64_t left = dice.Between(1, 50); left > 0; --left) {
    if (life.progress.is_over()) break;
    v1::Message message = dice.Chance(2) ? messages_.MakeLarge(dice) : messages_.Make(dice);
    const auto sending = life.ledger.NoteSending({Routed(target_, message)});
    sender->Send(std::move(message), [&life, sending](const Result<client::SendReceipt>& receipt) {
      life.ledger.NoteSent(sending, FateOf(receipt.status()));
      if (receipt.ok()) life.progress.NoteAcknowledged();
    });
  }
  return sender->Flush().ok();
}

bool RouteSender::SendBatch(RouteLife& life, client::Client& client, Dice& dice) {
  v1::SendRequest request;
  request.set_entity_path(PathOf(target_));
  request.set_atomic(true);
  std::vector<RoutedMessage> routed;
  for (std::uint64_t left = dice.Between(1, 5); left > 0; --left) {
    const v1::Message& message = *request.add_messages() = messages_.Make(dice);
    routed.push_back(Routed(target_, message));
  }
  const auto sending = life.ledger.NoteSending(routed);
  const Status status = StatusOf(client.Send(request));
  life.ledger.NoteSent(sending, FateOf(status));
  if (status.ok()) life.progress.NoteAcknowledged();
  return !IsGone(status);
}

}  // namespace wharf::crash
