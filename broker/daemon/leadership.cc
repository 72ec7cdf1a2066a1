#include "broker/daemon/leadership.h"

#include <future>
#include <utility>

namespace wharf {
namespace {

constexpr std::size_t kAwaitedReadThreads = 3;
constexpr std::size_t kBackgroundReadThreads = 2;

}  // namespace

Leadership::Leadership(const World& world, const ShardLimits& limits, BrokerImage image)
    : world_(world),
      thread_(world.clock),
      manual_alarm_(world.clock, thread_),
      awaited_reads_("wharf:read", kAwaitedReadThreads),
      background_reads_("wharf:read-low", kBackgroundReadThreads, ThreadPool::Rank::kLow),
      publisher_("wharf:publish", 1),
      readers_(world.store, {awaited_reads_, background_reads_}),
      shard_({world.clock, random_, world.log, thread_, publisher_, readers_, alarm(), nullptr,
              world.disk, SteadyNow, world.guard, access::SystemKeys(), world.tracer,
              world.check_encodings, world.check_event_logs, world.keeps_unknown_elements,
              world.keeps_replaced_keys, world.on_rules},
             limits, std::move(image)),
      requests_(MakePipeline(shard_, readers_)),
      clock_control_(*requests_, world.manual_clock) {
  thread_.WakeAtAlarm([this] { shard_.OnAlarm(); });
  manual_alarm_.WakeAtAlarm([this] { shard_.OnAlarm(); });
}

Status Leadership::Begin() {
  std::promise<Status> started;
  thread_.Post([this, &started] { started.set_value(shard_.Start()); });
  return started.get_future().get();
}

void Leadership::SetLimits(const ShardLimits& limits) {
  thread_.Post([this, limits] { shard_.SetLimits(limits); });
}

void Leadership::AwaitCommit(Duration patience) {
  auto told = std::make_shared<std::promise<void>>();
  std::future<void> done = told->get_future();
  shard_.agenda().Post(
      [told](Turn& turn) { turn.Tell([told](const Status&) { told->set_value(); }); });
  done.wait_for(patience);
}

void Leadership::Close(const Status& reason) {
  thread_.Post([this, reason] { shard_.Close(reason); });
}

// Readers bring what they read to the shard, the log what it committed, and the shard tells the
// publisher.
void Leadership::Stop() {
  if (std::exchange(is_stopped_, true)) return;
  awaited_reads_.Stop();
  background_reads_.Stop();
  std::promise<void> ended;
  thread_.Post([this, &ended] { shard_.End([&ended] { ended.set_value(); }); });
  ended.get_future().wait();
  thread_.Join();
  publisher_.Stop();
}

Alarm& Leadership::alarm() {
  if (world_.manual_clock != nullptr) return manual_alarm_;
  return thread_;
}

}  // namespace wharf
