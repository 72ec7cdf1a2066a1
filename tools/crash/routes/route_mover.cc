#include "tools/crash/routes/route_mover.h"

#include <utility>

#include <fmt/core.h>

#include "tools/crash/clients/wire.h"
#include "tools/crash/routes/route_entities.h"

namespace wharf::crash {
namespace {

constexpr Duration kWait = std::chrono::milliseconds(100);
constexpr std::uint64_t kMovedMax = 4;

Status AddTo(client::Client& client, const std::string& id, const v1::TransactionOperation& part) {
  if (part.has_settle()) {
    v1::SettleRequest settle = part.settle();
    settle.set_transaction_id(id);
    return client.Settle(settle).status();
  }
  v1::SendRequest send = part.send();
  send.set_transaction_id(id);
  return client.Send(send).status();
}

// With all that belongs to it. After an error it is not committed, and holds no locks.
Status Open(client::Client& client, const v1::RunTransactionRequest& request) {
  Status status = client.transactions().Begin(request.transaction_id()).status();
  for (const v1::TransactionOperation& part : request.operations()) {
    if (status.ok()) status = AddTo(client, request.transaction_id(), part);
  }
  if (!status.ok() && !IsGone(status)) {
    static_cast<void>(client.transactions().Rollback(request.transaction_id()));
  }
  return status;
}

}  // namespace

// An answer that the broker is too busy says nothing of locks.
bool ShowsLostLocks(const Status& committed, Duration since_asked) {
  const bool is_refused =
      !committed.ok() && !IsGone(committed) && committed.code() != ErrorCode::kServiceBusy;
  return is_refused && since_asked < kRouteLock;
}

void RouteMover::Run(RouteLife& life, Dice& dice) {
  client::Client client(life.address, RouteClientOptions());
  v1::ReceiveRequest request;
  request.set_entity_path(PathOf(Place::kFrom));
  SetDuration(kWait, request.mutable_max_wait());
  Status status;
  while (!life.progress.is_over() && !IsGone(status)) {
    request.set_max_messages(static_cast<std::uint32_t>(dice.Between(1, kMovedMax)));
    const auto asked = std::chrono::steady_clock::now();
    const Result<v1::ReceiveResponse> received = client.Receive(request);
    status = received.status();
    if (!received.ok() || received->messages_size() == 0) continue;
    status = MoveAll(life, client, *received, asked, dice);
  }
}

// Also after a rollback: the locks are as they were (TXN-12).
Status RouteMover::MoveAll(RouteLife& life, client::Client& client,
                           const v1::ReceiveResponse& received,
                           std::chrono::steady_clock::time_point asked, Dice& dice) {
  for (const v1::ReceivedMessage& message : received.messages()) {
    const SeenMessage seen = Seen(message);
    life.ledger.NoteDelivered(Place::kFrom, {seen.id, seen.body});
  }
  const bool is_second = dice.Chance(15);
  if (is_second) WHARF_RETURN_IF_ERROR(RollBack(client, MakeMove(received)));
  Move move = MakeMove(received);
  if (dice.Chance(30)) Publish(life.ledger, move, dice);
  const std::string id = move.request.transaction_id();
  Status status = Commit(life, client, std::move(move), dice);
  if (is_second && ShowsLostLocks(status, std::chrono::duration_cast<Duration>(
                                              std::chrono::steady_clock::now() - asked))) {
    life.ledger.Report({.rule = Rule::kOneLock,
                        .what = fmt::format("transaction '{}', of messages that one before it had "
                                            "and gave back, fails: {}",
                                            id, status.ToString())});
  }
  return status;
}

RouteMover::Move RouteMover::MakeMove(const v1::ReceiveResponse& received) {
  Move move;
  move.request.set_transaction_id(NewTransactionId());
  v1::SettleRequest& settle = *move.request.add_operations()->mutable_settle();
  v1::SendRequest& send = *move.request.add_operations()->mutable_send();
  settle.set_entity_path(PathOf(Place::kFrom));
  settle.mutable_settlement()->mutable_complete();
  send.set_entity_path(PathOf(Place::kTo));
  for (const v1::ReceivedMessage& message : received.messages()) {
    move.ids.push_back(Seen(message).id);
    settle.mutable_settlement()->add_lock_tokens(message.lock_token());
    v1::Message& copy = *send.add_messages();
    copy.set_message_id(message.message().message_id());
    copy.set_body(message.message().body());
  }
  return move;
}

void RouteMover::Publish(RouteLedger& ledger, Move& move, Dice& dice) {
  v1::SendRequest& send = *move.request.add_operations()->mutable_send();
  send.set_entity_path(PathOf(Target::kTopic));
  const v1::Message& message = *send.add_messages() = messages_.Make(dice);
  move.published = ledger.NoteSending({Routed(Target::kTopic, message)});
}

Status RouteMover::Commit(RouteLife& life, client::Client& client, Move move, Dice& dice) {
  Status status;
  if (dice.Chance(50)) {
    status = client.transactions().Run(move.request).status();
    move.fate = FateOf(status);
  } else {
    status = Open(client, move.request);
    move.fate = Fate::kNotDone;
    if (status.ok()) {
      status = client.transactions().Commit(move.request.transaction_id()).status();
      move.fate = FateOf(status);
    }
  }
  ++(move.fate == Fate::kDone      ? counts_.committed
     : move.fate == Fate::kUnknown ? counts_.unknown
                                   : counts_.refused);
  if (move.fate != Fate::kUnknown) Note(life.ledger, move, move.fate == Fate::kDone);
  moves_.push_back(std::move(move));
  if (status.ok()) life.progress.NoteAcknowledged();
  return status;
}

Status RouteMover::RollBack(client::Client& client, Move move) {
  move.fate = Fate::kNotDone;
  Status status = Open(client, move.request);
  if (status.ok()) {
    status = client.transactions().Rollback(move.request.transaction_id()).status();
    if (status.ok()) ++counts_.rolled_back;
  }
  moves_.push_back(std::move(move));
  return status;
}

std::string RouteMover::NewTransactionId() {
  return fmt::format("move-{}-{}", client_, ++last_transaction_);
}

void RouteMover::Note(RouteLedger& ledger, const Move& move, bool is_committed) {
  if (move.published) {
    ledger.NoteSent(*move.published, is_committed ? Fate::kDone : Fate::kNotDone);
  }
  if (!is_committed) return;
  for (const MessageId& id : move.ids) ledger.NoteMoved(id);
}

Status RouteMover::Resolve(client::Client& client, RouteLedger& ledger) {
  for (const Move& move : std::exchange(moves_, {})) {
    const Result<v1::Transaction> told = client.transactions().Get(move.request.transaction_id());
    // What the broker does not know was not committed.
    if (!told.ok() && told.status().code() != ErrorCode::kTransactionUnknown) return told.status();
    const bool is_committed = told.ok() && told->state() == v1::TRANSACTION_STATE_COMMITTED;
    if (move.fate != Fate::kUnknown) {
      CheckOutcome(ledger, move, is_committed);
      continue;
    }
    if (is_committed) ++counts_.unknown_committed;
    Note(ledger, move, is_committed);
  }
  return {};
}

void RouteMover::CheckOutcome(RouteLedger& ledger, const Move& move, bool is_committed) {
  if (is_committed == (move.fate == Fate::kDone)) return;
  ledger.Report({.rule = Rule::kAnswersHold,
                 .what = fmt::format("transaction '{}' was {}, and is told as {}",
                                     move.request.transaction_id(),
                                     is_committed ? "not committed" : "acknowledged",
                                     is_committed ? "committed" : "not committed")});
}

}  // namespace wharf::crash
