#include "tools/crash/load/amqp_exchanger.h"

#include <utility>

namespace wharf::crash {
namespace {

constexpr std::uint32_t kCredit = 3;
constexpr Duration kPatience = std::chrono::milliseconds(100);
constexpr std::uint64_t kRollsBackPercent = 15;

}  // namespace

void AmqpExchanger::Run(Life& life, Dice& dice) {
  const auto client = RecordedAmqp::Dial(life);
  if (client == nullptr) return;
  auto receiving = client->Receive({.queue = life.queues.retries}, Mode::kPeekLock, kCredit);
  if (!receiving.ok()) return;
  Status status;
  while (status.ok() && !life.progress.is_over()) {
    const auto got = client->Next(*receiving, kPatience);
    status = got.status();
    if (!status.ok() || !*got) continue;
    Status ran = Run(life, *client, *receiving, **got, dice);
    if (IsGone(ran)) status = std::move(ran);
  }
  if (status.ok()) status = client->Finish(*receiving).status();
  client->End(*receiving, status);
}

Status AmqpExchanger::Run(Life& life, RecordedAmqp& client,
                          const RecordedAmqp::Receiving& receiving, const RecordedAmqp::Got& got,
                          Dice& dice) {
  Result<std::string> id = client.Declare();
  if (!id.ok()) {
    life.held_locks.Hold(got.record.source, {got.record.token});
    return id.status();
  }
  const v1::Message message = messages_.Make(dice);
  Exchange exchange;
  exchange.id = *std::move(id);
  exchange.settle.source = got.record.source;
  exchange.settle.token = got.record.token;
  exchange.send.queue = life.queues.orders;
  exchange.send.messages.push_back(Unsent(message));
  Status status = client.Run(exchange, receiving, got, message, dice.Chance(kRollsBackPercent));
  book_.Note(std::move(exchange), life.held_locks);
  return status;
}

}  // namespace wharf::crash
