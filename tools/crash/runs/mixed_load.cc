#include "tools/crash/runs/mixed_load.h"

#include <chrono>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/load/amqp_exchanger.h"
#include "tools/crash/load/exchanger.h"
#include "tools/crash/load/peeker.h"
#include "tools/crash/load/purger.h"
#include "tools/crash/load/receiving/amqp_lock_keeper.h"
#include "tools/crash/load/receiving/amqp_receiver.h"
#include "tools/crash/load/receiving/amqp_session_worker.h"
#include "tools/crash/load/receiving/deferred_receiver.h"
#include "tools/crash/load/receiving/drop_receiver.h"
#include "tools/crash/load/receiving/lock_keeper.h"
#include "tools/crash/load/receiving/rest_receiver.h"
#include "tools/crash/load/receiving/session_worker.h"
#include "tools/crash/load/receiving/stream_receiver.h"
#include "tools/crash/load/receiving/unary_receiver.h"
#include "tools/crash/load/receiving/wisp_receiver.h"
#include "tools/crash/load/sending/amqp_sender.h"
#include "tools/crash/load/sending/repeater.h"
#include "tools/crash/load/sending/rest_sender.h"
#include "tools/crash/load/sending/scheduler.h"
#include "tools/crash/load/sending/session_sender.h"
#include "tools/crash/load/sending/stream_sender.h"
#include "tools/crash/load/sending/unary_sender.h"
#include "tools/crash/load/sending/wisp_sender.h"

namespace wharf::crash {
namespace {

using Clock = std::chrono::steady_clock;

// The shortest that the broker takes: what nobody settles comes back soon.
constexpr Duration kLockDuration = std::chrono::seconds(5);
constexpr Duration kDrainPatience = std::chrono::seconds(120);
constexpr std::chrono::milliseconds kLookPause(20);
// Of senders, and of receivers, beside those that are there anyway.
constexpr int kFullLoadPairs = 8;
// The senders before them have the numbers up to this.
constexpr std::uint32_t kFullLoadFirstSender = 10;
constexpr std::uint32_t kFirstWispSender = 20;
constexpr std::uint32_t kFirstAmqpSender = 30;
constexpr std::uint32_t kFirstRestSender = 40;

Status CompleteAll(RecordedClient& client, const Source& source,
                   const std::vector<DeliveryRecord>& deliveries) {
  if (deliveries.empty()) return {};
  std::vector<std::string> tokens;
  tokens.reserve(deliveries.size());
  for (const DeliveryRecord& delivery : deliveries) tokens.push_back(delivery.token);
  std::vector<std::string> unsettled;
  return client.Settle(source, tokens, {}, unsettled);
}

}  // namespace

MixedLoad::MixedLoad(const Doors& doors) : doors_(doors) {
  queues_.orders = recorder_.AddQueue({.name = "orders", .lock_duration = kLockDuration});
  queues_.retries = recorder_.AddQueue({.name = "retries",
                                        .lock_duration = kLockDuration,
                                        .max_delivery_count = 3,
                                        .message_kilobytes_max = 16});
  queues_.drops =
      recorder_.AddQueue({.name = "drops", .lock_duration = kLockDuration, .is_consumed = true});
  queues_.singles = recorder_.AddQueue(
      {.name = "singles", .lock_duration = kLockDuration, .drops_duplicates = true});
  queues_.briefs = recorder_.AddQueue(
      {.name = "briefs", .lock_duration = kLockDuration, .time_to_live = std::chrono::seconds(1)});
  queues_.wisps = recorder_.AddQueue({.name = "wisps",
                                      .lock_duration = kLockDuration,
                                      .time_to_live = std::chrono::seconds(3),
                                      .expires_to_nothing = true});
  queues_.scraps = recorder_.AddQueue({.name = "scraps", .lock_duration = kLockDuration});
  queues_.chats = recorder_.AddQueue(
      {.name = "chats", .lock_duration = kLockDuration, .requires_session = true});
  queues_.relays = recorder_.AddQueue({.name = "relays", .lock_duration = kLockDuration});
  queues_.inbox = recorder_.AddQueue(
      {.name = "inbox", .lock_duration = kLockDuration, .forwards_to = queues_.relays});
  MakeWorkers();
}

// Half of them on streams, half with calls.
void MixedLoad::AddFullLoad() {
  for (int i = 0; i < kFullLoadPairs; ++i) {
    const auto sender = kFullLoadFirstSender + static_cast<std::uint32_t>(i);
    if (i % 2 == 0) {
      workers_.push_back(std::make_unique<StreamSender>(sender));
      workers_.push_back(std::make_unique<StreamReceiver>());
    } else {
      workers_.push_back(std::make_unique<UnarySender>(sender));
      workers_.push_back(std::make_unique<UnaryReceiver>());
    }
  }
}

void MixedLoad::MakeWorkers() {
  if (doors_.has_grpc) AddClientsOfGrpc();
  if (doors_.has_amqp) AddClientsOfAmqp();
  if (doors_.has_rest) AddClientsOfRest();
  workers_.push_back(std::make_unique<Scheduler>(5));
  workers_.push_back(std::make_unique<Repeater>(6));
  workers_.push_back(std::make_unique<WispSender>(kFirstWispSender));
  workers_.push_back(std::make_unique<WispSender>(kFirstWispSender + 1));
  workers_.push_back(std::make_unique<WispReceiver>());
  workers_.push_back(std::make_unique<DeferredReceiver>());
  workers_.push_back(std::make_unique<Peeker>());
  workers_.push_back(std::make_unique<Purger>());
  auto redriver = std::make_unique<Redriver>();
  redriver_ = redriver.get();
  workers_.push_back(std::move(redriver));
  auto changer = std::make_unique<QueueChanger>(4);
  changer_ = changer.get();
  workers_.push_back(std::move(changer));
}

void MixedLoad::AddClientsOfGrpc() {
  workers_.push_back(std::make_unique<UnarySender>(1));
  workers_.push_back(std::make_unique<UnarySender>(2));
  workers_.push_back(std::make_unique<StreamSender>(3));
  workers_.push_back(std::make_unique<SessionSender>(7));
  workers_.push_back(std::make_unique<SessionSender>(8));
  for (int i = 0; i < 3; ++i) workers_.push_back(std::make_unique<SessionWorker>());
  workers_.push_back(std::make_unique<UnaryReceiver>());
  workers_.push_back(std::make_unique<StreamReceiver>());
  workers_.push_back(std::make_unique<StreamReceiver>());
  workers_.push_back(std::make_unique<DropReceiver>());
  workers_.push_back(std::make_unique<LockKeeper>());
  auto exchanger = std::make_unique<Exchanger>(9);
  exchanges_.push_back(&exchanger->book());
  workers_.push_back(std::move(exchanger));
}

void MixedLoad::AddClientsOfAmqp() {
  workers_.push_back(std::make_unique<AmqpSender>(kFirstAmqpSender));
  workers_.push_back(std::make_unique<AmqpSender>(kFirstAmqpSender + 1));
  for (int i = 0; i < 2; ++i) workers_.push_back(std::make_unique<AmqpReceiver>());
  for (int i = 0; i < 2; ++i) workers_.push_back(std::make_unique<AmqpSessionWorker>());
  workers_.push_back(std::make_unique<AmqpLockKeeper>());
  auto exchanger = std::make_unique<AmqpExchanger>(kFirstAmqpSender + 2);
  exchanges_.push_back(&exchanger->book());
  workers_.push_back(std::move(exchanger));
}

void MixedLoad::AddClientsOfRest() {
  workers_.push_back(std::make_unique<RestSender>(kFirstRestSender));
  for (int i = 0; i < 2; ++i) workers_.push_back(std::make_unique<RestReceiver>());
}

Status MixedLoad::Prepare(const std::string& address) {
  RecordedClient client(address, recorder_, progress_);
  // A target must be there before what forwards to it.
  const std::vector<QueueIndex> queues = queues_.All();
  for (auto queue = queues.rbegin(); queue != queues.rend(); ++queue) {
    WHARF_RETURN_IF_ERROR(client.CreateQueue(*queue));
  }
  return {};
}

Status MixedLoad::TakeStock(const std::string& address) {
  RecordedClient client(address, recorder_, progress_);
  WHARF_RETURN_IF_ERROR(client.ListQueues());
  WHARF_RETURN_IF_ERROR(changer_->Resolve(client));
  for (ExchangeBook* exchanges : exchanges_) {
    WHARF_RETURN_IF_ERROR(exchanges->Resolve(client, held_locks_));
  }
  std::int64_t backlog = 0;
  for (const QueueIndex queue : queues_.All()) {
    const Result<std::int64_t> count = client.TakeCensus(queue);
    if (!count.ok()) return count.status();
    if (!recorder_.queue(queue).expires_to_nothing) backlog += *count;
  }
  progress_.SetBacklog(static_cast<std::uint64_t>(backlog));
  return changer_->queue() ? client.TakeCensus(*changer_->queue()).status() : Status();
}

void MixedLoad::Work(const Addresses& addresses, Dice& dice) {
  Life life{.address = addresses.grpc,
            .amqp_addresses = addresses.amqp,
            .rest_addresses = addresses.rest,
            .queues = queues_,
            .recorder = recorder_,
            .progress = progress_,
            .held_locks = held_locks_};
  std::vector<std::thread> threads;
  for (const auto& worker : workers_) {
    threads.emplace_back(
        [&life, &worker, own = dice.Split()]() mutable { worker->Run(life, own); });
  }
  for (std::thread& thread : threads) thread.join();
}

// Everything is received and completed, also what is locked by those who lost it.
Status MixedLoad::Drain(const std::string& address) {
  WHARF_RETURN_IF_ERROR(TakeStock(address));
  RecordedClient client(address, recorder_, progress_);
  WHARF_RETURN_IF_ERROR(SettleHeld(client));
  WHARF_RETURN_IF_ERROR(redriver_->WaitForAll(client));
  WHARF_RETURN_IF_ERROR(AwaitExpiry(client, queues_.wisps));
  for (const QueueIndex queue : queues_.All()) {
    WHARF_RETURN_IF_ERROR(DrainQueue(client, queue));
  }
  if (changer_->queue()) WHARF_RETURN_IF_ERROR(DrainQueue(client, *changer_->queue()));
  return TakeStock(address);
}

Status MixedLoad::SettleHeld(RecordedClient& client) {
  for (const HeldLock& lock : held_locks_.TakeAll()) {
    std::vector<std::string> unsettled;
    // The lock may have ended, its queue may be gone.
    Status status = client.Settle(lock.source, {lock.token}, {}, unsettled);
    if (IsGone(status)) return status;
  }
  return {};
}

// What expires goes although nobody asks for it; what was deferred stays until somebody does.
Status MixedLoad::AwaitExpiry(RecordedClient& client, QueueIndex queue) {
  const auto deadline = Clock::now() + kDrainPatience;
  while (Clock::now() < deadline) {
    const auto counters = client.Counters(queue);
    if (!counters.ok()) return counters.status();
    if (counters->active_message_count() == counters->deferred_message_count()) {
      return client.TakeCensus(queue).status();
    }
    std::this_thread::sleep_for(kLookPause);
  }
  return {ErrorCode::kServiceTimeout,
          fmt::format("what expired stays in '{}'", recorder_.queue(queue).name)};
}

Status MixedLoad::DrainQueue(RecordedClient& client, QueueIndex queue) {
  const auto deadline = Clock::now() + kDrainPatience;
  while (Clock::now() < deadline) {
    const QueueRecord record = recorder_.queue(queue);
    if (record.requires_session) {
      WHARF_RETURN_IF_ERROR(DrainSession(client, queue));
    } else if (!record.forwards_to) {
      WHARF_RETURN_IF_ERROR(DrainLane(client, {queue, Lane::kMain}));
    }
    WHARF_RETURN_IF_ERROR(DrainLane(client, {queue, Lane::kDeadLetter}));
    WHARF_RETURN_IF_ERROR(DrainDeferred(client, queue));
    const auto counters = client.Counters(queue);
    if (!counters.ok()) return counters.status();
    if (counters->total_message_count() == 0) return {};
  }
  return {ErrorCode::kServiceTimeout,
          fmt::format("'{}' does not become empty", recorder_.queue(queue).name)};
}

Status MixedLoad::DrainLane(RecordedClient& client, const Source& source) {
  const Duration wait = std::chrono::milliseconds(source.lane == Lane::kMain ? 200 : 0);
  const auto received = client.Receive(source, Mode::kPeekLock, 100, wait);
  return received.ok() ? CompleteAll(client, source, *received) : received.status();
}

// The next one, if any is free.
Status MixedLoad::DrainSession(RecordedClient& client, QueueIndex queue) {
  const auto session = client.AcceptSession(queue, std::nullopt, std::chrono::milliseconds(200));
  if (!session.ok()) return IsGone(session.status()) ? session.status() : Status();
  WHARF_RETURN_IF_ERROR(client.GetState(queue, session->token));
  const auto received = client.ReceiveFromSession(queue, session->token, 100, Duration(0));
  if (!received.ok()) return received.status();
  WHARF_RETURN_IF_ERROR(CompleteAll(client, {.queue = queue}, *received));
  return client.ReleaseSession(queue, session->token);
}

Status MixedLoad::DrainDeferred(RecordedClient& client, QueueIndex queue) {
  const auto found = client.FindDeferred(queue, 100);
  if (!found.ok() || found->empty()) return found.status();
  const auto received = client.ReceiveDeferred(queue, *found);
  // A lock that ends may have moved one of them to the dead-letter queue.
  if (!received.ok()) return IsGone(received.status()) ? received.status() : Status();
  return CompleteAll(client, {.queue = queue}, *received);
}

}  // namespace wharf::crash
