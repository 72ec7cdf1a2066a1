#include "tests/engine/world/world_run.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/world/world_receiver.h"
#include "tests/harness/small_spans.h"

namespace wharf {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::size_t kUnderWayMax = 3;
// Of what many entities do at the same time each order is another world.
constexpr std::size_t kDueAtOnceMax = 3;
constexpr std::size_t kHistoryMax = 60;

// Windows so small that much has to be read, and others.
ShardLimits SomeWindows(SeededRandom& random) {
  ShardLimits limits;
  limits.broker.queue.lane.window.messages_max = 1 + random.Next() % 6;
  limits.broker.queue.lane.window.bytes_max = 1 + random.Next() % 20000;
  limits.broker.queue.lane.window.content_ahead = 1 + random.Next() % 4;
  const std::int64_t run_min = 1 + random.Next() % 4;
  limits.broker.queue.lane.spans = SmallSpans(random);
  limits.broker.queue.lane.spans.run.count_min = run_min;
  limits.broker.queue.lane.hint_length = seconds(random.Next() % 30);
  limits.expiry_grain = {};
  // What nothing is in rests at the end of each turn.
  limits.broker.queue.look_pause = {};
  limits.windows_bytes_max = random.Next() % 2 == 0 ? 1 : 100000;
  return limits;
}

}  // namespace

WorldRun::WorldRun(std::uint64_t seed, bool is_on_disk)
    : random_(seed),
      engine_({.seed = seed,
               .limits = SomeWindows(random_),
               .drops_garbage = seed % 2 == 0,
               .is_on_disk = is_on_disk}),
      worlds_(WorldModel(engine_.clock().Now())),
      told_(engine_.clock().Now()) {
  engine_.Run();
  CreateAll();
}

void WorldRun::Step() {
  if (under_way_.size() >= kUnderWayMax) return Work();
  // Weights, in the order of what a broker lives on.
  const std::pair<int, void (WorldRun::*)()> acts[] = {
      {12, &WorldRun::Send},
      {4, &WorldRun::Attach},
      {10, &WorldRun::Grant},
      {2, &WorldRun::Drain},
      {10, &WorldRun::Settle},
      {1, &WorldRun::Renew},
      {30, &WorldRun::Work},
      {5, &WorldRun::CheckAccounts},
      {5, &WorldRun::Advance},
      {2, &WorldRun::Crash},
      {2, &WorldRun::ReceiveDeferred},
      {1, &WorldRun::Undefer},
      {2, &WorldRun::ChangeScheduled},
      {2, &WorldRun::CreateOrUpdate},
      {1, &WorldRun::Delete},
      {2, &WorldRun::ChangeRule},
      {2, &WorldRun::Purge},
      {3, &WorldRun::BeginJob},
      {3, &WorldRun::RunTransaction},
      {2, &WorldRun::BeginTransaction},
      {3, &WorldRun::AddToTransaction},
      {2, &WorldRun::EndTransaction},
  };
  int all = 0;
  for (const auto& [weight, act] : acts) all += weight;
  auto chosen = static_cast<int>(Below(static_cast<std::uint64_t>(all)));
  for (const auto& [weight, act] : acts) {
    chosen -= weight;
    if (chosen < 0) return (this->*act)();
  }
}

Duration WorldRun::AnySeconds(std::uint64_t least, std::uint64_t most) {
  return seconds(least + Below(most - least)) + microseconds(Below(1000000));
}

bool WorldRun::has_failed() { return ::testing::Test::HasFailure(); }

void WorldRun::Note(std::string what) {
  history_.push_back(std::move(what));
  if (history_.size() > kHistoryMax) history_.pop_front();
}

std::string WorldRun::History() const {
  std::string text;
  for (const std::string& each : history_) text += "  " + each + "\n";
  return text;
}

void WorldRun::Explain(const std::string& what, const PossibleWorlds::Event& event) {
  if (has_failed() || worlds_.is_lost()) return;
  Note(what);
  EXPECT_TRUE(worlds_.Happened(event)) << "in none of " << worlds_.size() << " worlds, after\n"
                                       << History();
}

// Some of what is posted.
void WorldRun::Work() {
  for (std::uint64_t steps = 1 + Below(12); steps > 0; --steps) engine_.Step();
}

void WorldRun::Finish() {
  engine_.Run();
  if (has_failed()) return;
  EXPECT_TRUE(under_way_.empty()) << under_way_.front()->what << " was not answered, after\n"
                                  << History();
  worlds_.Finish();
  if (worlds_.is_lost()) StartAnew();
}

void WorldRun::StartAnew() {
  Note("too much may have happened: all is deleted");
  for (auto name = Names().rbegin(); name != Names().rend(); ++name) {
    static_cast<void>(engine_.Delete(KindOf(*name), *name));
  }
  receivers_.clear();
  held_.clear();
  transactions_.clear();
  worlds_ = PossibleWorlds(WorldModel(now()));
  CreateAll();
}

// Either all is done by then that was due, one after the other, or a little of it is due and goes
// on while other things happen.
void WorldRun::Advance() {
  while (engine_.has_untold()) engine_.Step();
  const Timestamp target = now() + (OneIn(10) ? AnySeconds(0, 3600) : AnySeconds(0, 30));
  if (worlds_.any().CountDue(target) <= kDueAtOnceMax && OneIn(2)) return AdvanceTo(target);
  Finish();
  while (!has_failed() && worlds_.any().NextDueTime() < target) {
    AdvanceTo(std::max(worlds_.any().NextDueTime(), now()));
    CrashSometimes();
    Finish();
  }
  AdvanceTo(std::max(target, now()));
  CheckAccounts();
}

void WorldRun::AdvanceTo(Timestamp time) {
  Note(fmt::format("the clock goes on by {} us", (time - now()).count()));
  engine_.clock().Advance(time - now());
  worlds_.SetTime(time);
}

void WorldRun::CrashSometimes() {
  if (!OneIn(8)) return;
  Work();
  Crash();
}

// What was under way may have happened. The wall clock may have gone back meanwhile.
void WorldRun::Crash() {
  do {
    const Duration wall = OneIn(2) ? Duration(0) : -AnySeconds(0, 100);
    Note(fmt::format("a crash, and the wall clock goes back by {} us", -wall.count()));
    engine_.Crash(wall);
    EXPECT_GE(now(), told_) << "the time goes back, after\n" << History();
    Work();
  } while (OneIn(4));
  engine_.Run();
  std::vector<PossibleWorlds::Event> events = TakenUnheard(LookAtAll());
  for (const auto& asked : under_way_) events.push_back(asked->event);
  under_way_.clear();
  receivers_.clear();
  worlds_.Crash(events, now());
  CheckAccounts();
}

}  // namespace wharf
