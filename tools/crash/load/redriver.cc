#include "tools/crash/load/redriver.h"

#include <chrono>

namespace wharf::crash {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRunningMax = 4;
constexpr std::uint32_t kRateMax = 200;
constexpr Duration kPatience = std::chrono::seconds(60);

QueueIndex DrawRedriven(const LoadQueues& queues, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 35) return queues.retries;
  if (lot < 65) return queues.orders;
  if (lot < 80) return queues.briefs;
  return lot < 90 ? queues.scraps : queues.singles;
}

}  // namespace

void Redriver::Run(Life& life, Dice& dice) {
  RecordedClient client(life.address, life.recorder, life.progress);
  Status status;
  while (!IsGone(status) && life.progress.WaitForMore(dice.Between(5, 40))) {
    const bool starts = jobs_.empty() || (jobs_.size() < kRunningMax && dice.Chance(40));
    status = starts ? Start(life, client, dice) : Look(client, dice);
  }
}

Status Redriver::Start(Life& life, RecordedClient& client, Dice& dice) {
  const auto rate = dice.Chance(50) ? 0 : static_cast<std::uint32_t>(dice.Between(20, kRateMax));
  const Result<std::int64_t> job =
      client.Redrive(DrawRedriven(life.queues, dice), dice.Chance(30), rate);
  if (job.ok()) jobs_.push_back(*job);
  return job.status();
}

Status Redriver::Look(RecordedClient& client, Dice& dice) {
  const std::size_t index = dice.Below(jobs_.size());
  const Result<JobState> state =
      dice.Chance(15) ? client.CancelJob(jobs_[index]) : client.LookAtJob(jobs_[index]);
  if (state.ok() && *state != JobState::kRunning) {
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return state.status();
}

Status Redriver::WaitForAll(RecordedClient& client) {
  const auto deadline = Clock::now() + kPatience;
  while (!jobs_.empty() && Clock::now() < deadline) {
    const Result<JobState> state = client.LookAtJob(jobs_.back());
    if (!state.ok()) return state.status();
    if (*state != JobState::kRunning) jobs_.pop_back();
  }
  if (jobs_.empty()) return {};
  return {ErrorCode::kServiceTimeout, "a job does not come to its end"};
}

}  // namespace wharf::crash
