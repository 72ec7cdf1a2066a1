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

Result<CommitIndex> ReadLast(const AppliedIndexRow& row, const Store& store) {
  Result<CommitIndex> last = row.Read(store);
  if (!last.ok()) return ClosedBy(last.status(), Outcome::kNotDone);
  return last;
}

}  // namespace

LocalCommitLog::LocalCommitLog(RocksStore& store, World world)
    : store_(store),
      world_(std::move(world)),
      standing_(ReadLast(world_.row, store_)),
      last_(standing_.ok() ? *standing_ : CommitIndex()),
      closed_(standing_.status()),
      warnings_(kWarningsEvery, world_.now),
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
    was_idle = unanswered_ == 0;
    Queue(std::move(batch), std::move(committed));
  }
  if (was_idle) wake_.notify_one();
}

void LocalCommitLog::Confirm(Confirmed confirmed) {
  Result<CommitIndex> standing = CommitIndex();
  {
    MutexLock lock(mutex_);
    if (unanswered_ > 0) return Queue(WriteBatch(), std::move(confirmed));
    standing = standing_;
  }
  std::move(confirmed)(std::move(standing));
}

void LocalCommitLog::Queue(WriteBatch batch, Committed committed) {
  const std::size_t bytes = batch.bytes().size();
  if (waiting_.empty() || waiting_.back().bytes + bytes > kGroupBytesMax) waiting_.emplace_back();
  Group& group = waiting_.back();
  group.bytes += bytes;
  group.batches.push_back(std::move(batch));
  group.completions.push_back(std::move(committed));
  ++unanswered_;
}

CommitLog::Stats LocalCommitLog::stats() const {
  const Duration::rep began = write_began_;
  return {.commits = commits_,
          .groups = groups_,
          .bytes = bytes_,
          .sync_latency = sync_latency_.Read(),
          .sync_age = began == kNoWrite ? Duration(0) : world_.now() - Duration(began)};
}

void LocalCommitLog::Run() {
  if (closed_.ok()) {
    world_.observer.OnOpen();
  } else {
    world_.observer.OnClosed(closed_);
  }
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
  const std::size_t count = group.completions.size();
  const bool was_open = closed_.ok();
  std::size_t at = 0;
  // What is asked before the first batch has nothing to wait for.
  for (; was_open && at < count && group.batches[at].empty(); ++at) Complete(group, at, true);
  const std::size_t committed = was_open ? Write(group) : 0;
  for (; at < count; ++at) Complete(group, at, at < committed);
  NoteCompleted(count);
  if (was_open && !closed_.ok()) world_.observer.OnClosed(closed_);
}

std::size_t LocalCommitLog::Write(const Group& group) {
  OrderedWrites writes;
  const std::span<const WriteBatch> batches = Collect(group.batches, writes);
  std::size_t commits = 0;
  std::size_t bytes = 0;
  for (const WriteBatch& batch : batches) {
    commits += batch.empty() ? 0 : 1;
    bytes += batch.bytes().size();
  }
  if (commits > 0) {
    if (world_.applied != nullptr) world_.applied->OnApplying(writes.notes());
    const Status written = WriteSynced(writes, CommitIndex(last_.value() + commits));
    if (!written.ok()) {
      closed_ = ClosedBy(written, Outcome::kUnknown);
      return 0;
    }
    ++groups_;
    commits_ += commits;
    bytes_ += bytes;
    if (world_.applied != nullptr) world_.applied->OnApplied(writes.notes());
  }
  return batches.size();
}

// What was visited of a batch that cannot be applied must not be written: once more, without it.
std::span<const WriteBatch> LocalCommitLog::Collect(std::span<const WriteBatch> batches,
                                                    OrderedWrites& writes) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Status visited = batches[i].Visit(store_.tables(), writes);
    if (visited.ok()) continue;
    closed_ = ClosedBy(visited, Outcome::kNotDone);
    writes = OrderedWrites();
    return Collect(batches.first(i), writes);
  }
  return batches;
}

Status LocalCommitLog::WriteSynced(OrderedWrites& writes, CommitIndex last) {
  WriteBatch index;  // Outlives the write, which looks at its bytes.
  world_.row.Put(last, index);
  WHARF_RETURN_IF_ERROR(index.Visit(store_.tables(), writes));
  const Duration begin = world_.now();
  write_began_ = begin.count();
  Status status = store_.Write(writes, kSync);
  write_began_ = kNoWrite;
  const Duration taken = world_.now() - begin;
  sync_latency_.Note(taken);
  WarnIfSlow(taken);
  return status;
}

void LocalCommitLog::WarnIfSlow(Duration took) {
  if (took < kSlow) return;
  if (const auto unsaid = warnings_.Admit()) {
    spdlog::warn("a commit took {:.1f} s: the disk is slow, and everybody waits for it{}",
                 std::chrono::duration<double>(took).count(), Unsaid(*unsaid));
  }
}

void LocalCommitLog::Complete(Group& group, std::size_t at, bool is_committed) {
  Committed& completion = group.completions[at];
  if (!is_committed) return std::move(completion)(closed_);
  if (!group.batches[at].empty()) last_ = last_.Next();
  std::move(completion)(last_);
}

// Only now: a Confirm must not overtake a completion that has not returned.
void LocalCommitLog::NoteCompleted(std::size_t count) {
  MutexLock lock(mutex_);
  unanswered_ -= count;
  if (closed_.ok()) {
    standing_ = last_;
  } else {
    standing_ = closed_;
  }
}

}  // namespace wharf
