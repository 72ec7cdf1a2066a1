#include "storage/log/local_commit_log.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "storage/base/mutant.h"

namespace wharf {
namespace {

// A group is written as one record of the log; this bounds the memory for it.
constexpr std::size_t kGroupBytesMax = 32 << 20;

// A disk that takes so long for one commit makes everybody wait.
constexpr Duration kSlow = std::chrono::seconds(1);
constexpr Duration kWarningsEvery = std::chrono::seconds(10);

constexpr RocksStore::Sync kSync =
    kMutant == Mutant::kNoSync ? RocksStore::Sync::kNo : RocksStore::Sync::kYes;

}  // namespace

LocalCommitLog::LocalCommitLog(RocksStore& store, CommitLog::Observer& observer, Now now)
    : store_(store),
      observer_(observer),
      now_(std::move(now)),
      warnings_(kWarningsEvery, now_),
      thread_([this] { Run(); }) {}

LocalCommitLog::~LocalCommitLog() { Stop(); }

void LocalCommitLog::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LocalCommitLog::Append(WriteBatch batch, Committed committed) {
  bool was_idle = false;
  {
    MutexLock lock(mutex_);
    was_idle = waiting_.empty();
    const std::size_t bytes = batch.bytes().size();
    if (was_idle || waiting_.back().bytes + bytes > kGroupBytesMax) waiting_.emplace_back();
    Group& group = waiting_.back();
    group.bytes += bytes;
    group.batches.push_back(std::move(batch));
    group.completions.push_back(std::move(committed));
  }
  if (was_idle) wake_.notify_one();
}

LocalCommitLog::Stats LocalCommitLog::stats() const {
  return {.commits = commits_, .groups = groups_, .bytes = bytes_};
}

void LocalCommitLog::Run() {
  observer_.OnOpen();
  while (std::optional<Group> group = TakeGroup()) Commit(*group);
}

std::optional<LocalCommitLog::Group> LocalCommitLog::TakeGroup() {
  MutexLock lock(mutex_);
  while (!stopping_ && waiting_.empty()) wake_.wait(mutex_);
  if (waiting_.empty()) return std::nullopt;
  Group group = std::move(waiting_.front());
  waiting_.pop_front();
  return group;
}

void LocalCommitLog::Commit(Group& group) {
  const bool was_open = closed_.ok();
  if (was_open) closed_ = Write(group);
  for (Committed& committed : group.completions) Answer(committed);
  if (was_open && !closed_.ok()) observer_.OnClosed(closed_);
}

Status LocalCommitLog::Write(const Group& group) {
  if (group.bytes > 0) {
    const Duration begin = now_();
    const Status status = store_.Write(group.batches, kSync);
    WarnIfSlow(now_() - begin);
    if (!status.ok()) {
      return {ErrorCode::kServiceCommunicationProblem,
              "the commit log is closed: " + status.message(), Outcome::kUnknown};
    }
    ++groups_;
  }
  commits_ += group.batches.size();
  bytes_ += group.bytes;
  return Status::Ok();
}

void LocalCommitLog::WarnIfSlow(Duration took) {
  if (took < kSlow) return;
  if (const auto unsaid = warnings_.Admit()) {
    spdlog::warn("a commit took {:.1f} s: the disk is slow, and everybody waits for it{}",
                 std::chrono::duration<double>(took).count(), Unsaid(*unsaid));
  }
}

void LocalCommitLog::Answer(Committed& committed) {
  if (!closed_.ok()) return std::move(committed)(closed_);
  last_ = last_.Next();
  std::move(committed)(last_);
}

}  // namespace wharf
