#include "tools/crash/load/receiving/amqp_session_worker.h"

#include <optional>
#include <string>

#include "tools/crash/load/sending/session_sender.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::milliseconds(10);
constexpr Duration kWait = std::chrono::milliseconds(50);

// Nothing: it stays in flight, and comes back with the session.
std::optional<Settling> DrawSettling(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 65) return Settling{};
  if (lot < 75) return Settling{.verb = Verb::kAbandon};
  if (lot < 78) return Settling{.verb = Verb::kDeadLetter};
  if (lot < 83) return Settling{.verb = Verb::kRelease};
  return std::nullopt;
}

}  // namespace

void AmqpSessionWorker::Run(Life& life, Dice& dice) {
  while (!life.progress.is_over()) {
    const auto client = RecordedAmqp::Dial(life);
    if (client == nullptr) return;
    while (!life.progress.is_over() && RunSession(life, *client, dice)) {
    }
  }
}

bool AmqpSessionWorker::RunSession(Life& life, RecordedAmqp& client, Dice& dice) {
  std::optional<std::string> session;
  if (dice.Chance(50)) session = DrawSession(dice);
  auto receiving = client.AcceptSession(life.queues.chats, session, kWait,
                                        static_cast<std::uint32_t>(dice.Between(1, 8)));
  if (!receiving.ok()) return !IsGone(receiving.status());
  Status status;
  for (std::uint64_t left = dice.Between(1, 20); status.ok() && left > 0; --left) {
    status = Step(client, *receiving, dice);
  }
  if (status.ok()) status = client.AwaitAnswers();
  if (status.ok() && dice.Chance(20)) {
    client.Leave(*receiving);
    return false;
  }
  // What comes meanwhile is given back with the session.
  if (status.ok()) status = client.Finish(*receiving).status();
  client.End(*receiving, status);
  return !IsGone(status);
}

Status AmqpSessionWorker::Step(RecordedAmqp& client, RecordedAmqp::Receiving& receiving,
                               Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 10) return client.RenewSession(*receiving.session);
  if (lot < 20) return client.GetState(*receiving.session);
  if (lot < 30) return client.SetState(*receiving.session);
  const auto got = client.Next(receiving, kPatience);
  if (!got.ok() || !*got) return got.status();
  const std::optional<Settling> settling = DrawSettling(dice);
  if (settling) client.Settle(receiving, **got, *settling);
  return {};
}

}  // namespace wharf::crash
