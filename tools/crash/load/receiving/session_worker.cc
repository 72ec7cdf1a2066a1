#include "tools/crash/load/receiving/session_worker.h"

#include <map>
#include <optional>
#include <utility>

#include "tools/crash/load/sending/session_sender.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(10);

enum class SessionFate : std::uint8_t {
  kComplete,
  kCompleteWithState,
  kAbandon,
  kDeadLetter,
  kRelease,
  kKeep,
};

SessionFate DrawSessionFate(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 40) return SessionFate::kComplete;
  if (lot < 70) return SessionFate::kCompleteWithState;
  if (lot < 80) return SessionFate::kAbandon;
  if (lot < 83) return SessionFate::kDeadLetter;
  return lot < 88 ? SessionFate::kRelease : SessionFate::kKeep;
}

Settling SettlingFor(SessionFate fate) {
  if (fate == SessionFate::kAbandon) return {.verb = Verb::kAbandon};
  if (fate == SessionFate::kDeadLetter) return {.verb = Verb::kDeadLetter};
  if (fate == SessionFate::kRelease) return {.verb = Verb::kRelease};
  return {};
}

}  // namespace

void SessionWorker::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && !life.progress.is_over()) status = Step(life, client, dice);
}

Status SessionWorker::Step(Life& life, RecordedClient& client, Dice& dice) {
  if (held_.empty() || dice.Chance(30)) {
    Status accepted = Accept(life, client, dice);
    if (!accepted.ok()) return accepted;
  } else {
    std::swap(held_[dice.Below(held_.size())], held_.back());
  }
  Status status = Work(life, client, held_.back(), dice);
  if (IsGone(status)) return status;
  const std::uint64_t lot = dice.Below(100);
  const std::string token = held_.back().token;
  // The lock is lost, or must end by itself.
  if (!status.ok() || lot < 10) held_.pop_back();
  if (!status.ok() || lot < 60) return status;
  Status released = client.ReleaseSession(life.queues.chats, token);
  if (!IsGone(released)) held_.pop_back();
  return released;
}

Status SessionWorker::Accept(Life& life, RecordedClient& client, Dice& dice) {
  std::optional<std::string> name;
  if (dice.Chance(40)) name = DrawSession(dice);
  const auto session = client.AcceptSession(life.queues.chats, name, kPatience);
  if (session.ok()) held_.push_back({session->token, {}});
  return session.status();
}

Status SessionWorker::Work(Life& life, RecordedClient& client, HeldSession& session, Dice& dice) {
  const QueueIndex queue = life.queues.chats;
  if (dice.Chance(70)) WHARF_RETURN_IF_ERROR(client.GetState(queue, session.token));
  if (dice.Chance(20)) WHARF_RETURN_IF_ERROR(client.RenewSession(queue, session.token));
  if (!session.messages.empty() && dice.Chance(60)) {
    std::vector<std::string> unsettled;
    const Settling settling{.verb = dice.Chance(80) ? Verb::kComplete : Verb::kAbandon};
    Status settled =
        client.Settle({.queue = queue}, std::exchange(session.messages, {}), settling, unsettled);
    session.messages = std::move(unsettled);
    if (!settled.ok()) return settled;
  }
  const auto deliveries = client.ReceiveFromSession(
      queue, session.token, static_cast<std::uint32_t>(dice.Between(1, 5)), kPatience);
  if (!deliveries.ok()) return deliveries.status();
  if (deliveries->empty()) return client.SetState(queue, session.token, {});
  return Settle(life, client, session, *deliveries, dice);
}

Status SessionWorker::Settle(Life& life, RecordedClient& client, HeldSession& session,
                             const std::vector<DeliveryRecord>& deliveries, Dice& dice) {
  std::map<SessionFate, std::vector<std::string>> fates;
  for (const DeliveryRecord& delivery : deliveries) {
    fates[DrawSessionFate(dice)].push_back(delivery.token);
  }
  Status status;
  for (const auto& [fate, tokens] : fates) {
    std::vector<std::string> unsettled = tokens;
    if (status.ok() && fate == SessionFate::kCompleteWithState) {
      status = client.SetState(life.queues.chats, session.token, tokens);
      if (!IsGone(status)) unsettled.clear();
    } else if (status.ok() && fate != SessionFate::kKeep) {
      unsettled.clear();
      status = client.Settle({.queue = life.queues.chats}, tokens, SettlingFor(fate), unsettled);
    }
    session.messages.insert(session.messages.end(), unsettled.begin(), unsettled.end());
  }
  return status;
}

}  // namespace wharf::crash
