#include "storage/log/segment_commit_log.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "storage/apply/catch_up.h"
#include "storage/apply/entry_assembler.h"
#include "storage/base/mutant.h"
#include "storage/base/this_thread.h"

namespace wharf {
namespace {

// A group becomes durable as one; this bounds the memory for it.
constexpr std::size_t kGroupBytesMax = 32 << 20;
// Of the log, between two looks whether it may be cut.
constexpr std::uint64_t kLookBytes = 4 << 20;
// Nobody else ever leads here.
constexpr std::uint64_t kTerm = 1;

// A disk that takes so long for one commit makes everybody wait.
constexpr Duration kSlow = std::chrono::seconds(1);
constexpr Duration kWarningsEvery = std::chrono::seconds(10);

Status CheckBatch(const WriteBatch& batch, const TableSet& tables) {
  if (batch.bytes().size() > EntryAssembler::kBatchBytesMax) {
    return {ErrorCode::kGeneralError, "a write batch is larger than the log takes"};
  }
  return batch.Check(tables);
}

}  // namespace

SegmentCommitLog::SegmentCommitLog(const Options& options, RocksStore& store,
                                   std::unique_ptr<SegmentLog> log, World world)
    : options_(options),
      world_(std::move(world)),
      rocks_(store),
      log_(std::move(log)),
      state_(store, world_.position),
      flush_(world_.now),
      warnings_(kWarningsEvery, world_.now),
      caught_up_(store, [this] { return WriteAll(); }) {
  if (const Status recovered = Recover(); !recovered.ok()) {
    Close(ClosedBy(recovered, Outcome::kNotDone));
  }
  thread_ = std::thread([this] { Run(); });
}

SegmentCommitLog::~SegmentCommitLog() { Stop(); }

Status SegmentCommitLog::Recover() {
  const Result<CaughtUpTo> begin = CatchUp(rocks_, *log_, world_.position, world_.row);
  if (!begin.ok()) return begin.status();
  last_ = begin->last;
  BatchArchive* const archive = world_.archive;
  if (archive != nullptr) archive->Begin(world_.owner, *log_, begin->position, last_);
  applier_.emplace(
      BatchApplier::World{
          .store = state_, .listener = world_.applied, .row = world_.row, .batches = archive},
      begin->position, last_);
  {
    MutexLock lock(mutex_);
    told_ = last_;
  }
  const auto failed = [this](const Status& why) { OnStateFailed(why); };
  const auto applied = [this](const LogPlace& /*place*/, CommitIndex last) { OnApplied(last); };
  late_.emplace(options_.late, LateWriter::World{*applier_, applied, failed});
  keeper_.emplace(options_.bound, LogKeeper::World{rocks_, *log_, failed});
  return {};
}

// Where it fails the log is closed by then.
Status SegmentCommitLog::WriteAll() {
  return late_ && late_->WriteAll().ok() ? Status() : closed();
}

void SegmentCommitLog::Look() {
  {
    MutexLock lock(mutex_);
    is_asked_to_look_ = true;
  }
  wake_.notify_one();
}

void SegmentCommitLog::Stop() {
  {
    MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (late_) late_->Stop();
  Drain();
}

void SegmentCommitLog::Append(WriteBatch batch, Committed committed) {
  MutexLock lock(mutex_);
  Queue(std::move(batch), std::move(committed));
}

void SegmentCommitLog::Confirm(Confirmed confirmed) {
  Result<CommitIndex> standing = CommitIndex();
  {
    MutexLock lock(mutex_);
    if (unanswered_ > 0) return Queue(WriteBatch(), std::move(confirmed));
    if (closed_.ok()) {
      standing = told_;
    } else {
      standing = closed_;
    }
  }
  std::move(confirmed)(std::move(standing));
}

void SegmentCommitLog::Queue(WriteBatch batch, Committed committed) {
  const std::size_t bytes = batch.bytes().size();
  const bool was_idle = waiting_.empty();
  if (was_idle || waiting_.back().bytes + bytes > kGroupBytesMax) waiting_.emplace_back();
  Group& group = waiting_.back();
  group.bytes += bytes;
  group.waiting.push_back({std::move(batch), std::move(committed)});
  ++unanswered_;
  if (was_idle) wake_.notify_one();
}

CommitLog::Stats SegmentCommitLog::stats() const {
  const SegmentLog::Stats log = log_->stats();
  MutexLock lock(mutex_);
  Stats stats = stats_;
  stats.sync_latency = log.sync_latency;
  stats.disk_age = std::max({log.sync_age, flush_.age(), late_ ? late_->write_age() : Duration()});
  return stats;
}

void SegmentCommitLog::Run() {
  NameThisThread("wharf:log");
  if (closed().ok()) world_.observer.OnOpen();
  Drain();
  while (std::optional<Group> group = TakeGroup()) Commit(*std::move(group));
}

std::optional<SegmentCommitLog::Group> SegmentCommitLog::TakeGroup() {
  MutexLock lock(mutex_);
  while (!is_stopping_ && waiting_.empty() && !is_asked_to_look_) wake_.wait(mutex_);
  const bool looks = std::exchange(is_asked_to_look_, false);
  if (waiting_.empty()) return looks && !is_stopping_ ? std::optional(Group()) : std::nullopt;
  Group group = std::move(waiting_.front());
  waiting_.pop_front();
  return group;
}

// What cannot be applied closes the log behind what came before it, which was not planned on top of
// it.
void SegmentCommitLog::Commit(Group group) {
  const std::size_t good = CountGood(group);
  Status written = AppendToLog(group, good);
  if (written.ok() && closed().ok()) written = CutLog(group.waiting.empty());
  if (!written.ok()) Close(ClosedBy(written, Outcome::kUnknown));
  QueueAnswers(group, good, written);
  if (written.ok()) Apply(group, good);
  Drain();
}

std::size_t SegmentCommitLog::CountGood(const Group& group) {
  if (!closed().ok()) return 0;
  for (std::size_t at = 0; at < group.waiting.size(); ++at) {
    const Status checked = CheckBatch(group.waiting[at].batch, rocks_.tables());
    if (checked.ok()) continue;
    Close(ClosedBy(checked, Outcome::kNotDone));
    return at;
  }
  return group.waiting.size();
}

Status SegmentCommitLog::AppendToLog(const Group& group, std::size_t good) {
  const std::vector<LogEntry> entries = EntriesOf(group, good);
  if (entries.empty()) return {};
  const Duration begin = world_.now();
  AwaitFlush(group.bytes);
  WHARF_RETURN_IF_ERROR(log_->Append(entries, std::nullopt));
  if (kMutant != Mutant::kNoSync) WHARF_RETURN_IF_ERROR(log_->Sync());
  WarnIfSlow(world_.now() - begin);
  return {};
}

// What was told and is not written is in no flush. Who is closed meanwhile says so behind it.
void SegmentCommitLog::AwaitFlush(std::size_t bytes) {
  const auto is_full = [&] {
    return closed().ok() && options_.bound.IsReplayFull(*log_, keeper_->flushed(), bytes);
  };
  if (!is_full()) return;
  const UnderWay::Scope flush(flush_);
  do {
    static_cast<void>(late_->WriteAll());
    keeper_->Flush();
  } while (is_full());
}

// Small batches travel together, a large one in parts.
std::vector<LogEntry> SegmentCommitLog::EntriesOf(const Group& group, std::size_t good) {
  const std::size_t payload_max = options_.entry_bytes_max - kEntryOverhead;
  std::vector<LogEntry> entries;
  std::vector<std::string_view> together;
  std::size_t bytes = 0;
  const auto end_entry = [&] {
    if (together.empty()) return;
    AddEntry({.term = kTerm, .batches = static_cast<std::uint32_t>(together.size())}, together,
             entries);
    together.clear();
    bytes = 0;
  };
  for (std::size_t at = 0; at < good; ++at) {
    const std::string& batch = group.waiting[at].batch.bytes();
    if (batch.empty()) continue;
    if (bytes + batch.size() > payload_max) end_entry();
    if (batch.size() > payload_max) {
      AddParts(batch, entries);
      continue;
    }
    together.push_back(batch);
    bytes += batch.size();
  }
  end_entry();
  return entries;
}

void SegmentCommitLog::AddParts(std::string_view batch, std::vector<LogEntry>& entries) const {
  const std::size_t part_bytes = options_.entry_bytes_max - kEntryOverhead;
  EntryHead head{.term = kTerm};
  head.parts = static_cast<std::uint32_t>((batch.size() + part_bytes - 1) / part_bytes);
  for (; head.part < head.parts; ++head.part) {
    AddEntry(head, {batch.substr(head.part * part_bytes, part_bytes)}, entries);
  }
}

void SegmentCommitLog::AddEntry(const EntryHead& head, const std::vector<std::string_view>& payload,
                                std::vector<LogEntry>& entries) const {
  const std::uint64_t before = entries.empty() ? log_->last_index() : entries.back().index;
  entries.push_back({before + 1, kTerm, EntryKind::kBatch, EncodeEntry(head, payload)});
}

// Whatever is told by this, its answer is in the queue by then.
void SegmentCommitLog::QueueAnswers(Group& group, std::size_t good, const Status& written) {
  MutexLock lock(mutex_);
  bool has_batch = false;
  for (std::size_t at = 0; at < group.waiting.size(); ++at) {
    Waiting& each = group.waiting[at];
    has_batch |= !each.batch.empty();
    // What is asked before the first batch has nothing to wait for.
    const bool is_done = at < good && (written.ok() || !has_batch);
    if (is_done && !each.batch.empty()) last_ = last_.Next();
    answers_.push_back({std::move(each.committed),
                        is_done ? Result<CommitIndex>(last_) : Result<CommitIndex>(closed_)});
    if (is_done && !each.batch.empty()) {
      ++stats_.commits;
      stats_.bytes += each.batch.bytes().size();
    }
  }
  stats_.groups += written.ok() && has_batch && good > 0 ? 1 : 0;
}

void SegmentCommitLog::Apply(Group& group, std::size_t good) {
  std::vector<WriteBatch> batches;
  for (std::size_t at = 0; at < good; ++at) {
    WriteBatch& batch = group.waiting[at].batch;
    if (!batch.empty()) batches.push_back(std::move(batch));
  }
  if (batches.empty()) return;
  const LogPlace place{log_->last_index(), kTerm};
  late_->Apply([&batches, &place](BatchApplier& applier) {
    return applier.AddWhole(std::move(batches), place);
  });
}

// By whole segments; of an idle log of which the state has all, the last one as well.
Status SegmentCommitLog::CutLog(bool is_asked) {
  const std::uint64_t pace = std::min(kLookBytes, options_.bound.unflushed_bytes_max / 8);
  if (!is_asked && log_->BytesBehind(looked_at_) < pace) return {};
  looked_at_ = log_->last_index();
  const std::uint64_t end = keeper_->Look(looked_at_);
  const SegmentLog::Stats log = log_->stats();
  const bool is_large = log.bytes > kLookBytes || log.spares > 0;
  const bool is_needless = is_asked && end == looked_at_ && is_large;
  if (is_needless) return log_->BeginAt({end, log_->TermOf(end)}, log_->hard_state());
  return log_->CutUpTo(end);
}

void SegmentCommitLog::WarnIfSlow(Duration took) {
  if (took < kSlow) return;
  if (const auto unsaid = warnings_.Admit()) {
    spdlog::warn("a commit took {:.1f} s: the disk is slow, and everybody waits for it{}",
                 std::chrono::duration<double>(took).count(), Unsaid(*unsaid));
  }
}

Status SegmentCommitLog::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

void SegmentCommitLog::Close(const Status& reason) {
  MutexLock lock(mutex_);
  if (closed_.ok()) closed_ = reason;
}

void SegmentCommitLog::OnStateFailed(const Status& why) {
  Close(ClosedBy(why, Outcome::kUnknown));
  {
    MutexLock lock(mutex_);
    has_state_failed_ = true;
  }
  Drain();
}

void SegmentCommitLog::OnApplied(CommitIndex last) {
  {
    MutexLock lock(mutex_);
    told_ = last;
  }
  Drain();
}

void SegmentCommitLog::Drain() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(is_draining_, true)) return;
  }
  while (auto call = TakeCall()) std::move (*call)();
}

// Nobody is told of an end before those who waited for it are.
std::optional<absl::AnyInvocable<void() &&>> SegmentCommitLog::TakeCall() {
  MutexLock lock(mutex_);
  // Only now: a Confirm must not overtake a completion that has not returned.
  if (std::exchange(is_answering_, false)) --unanswered_;
  if (!answers_.empty() && IsDone(answers_.front())) {
    Answer answer = std::move(answers_.front());
    answers_.pop_front();
    is_answering_ = true;
    return [answer = std::move(answer)]() mutable {
      std::move(answer.committed)(std::move(answer.result));
    };
  }
  if (answers_.empty() && !closed_.ok() && !std::exchange(is_reported_, true)) {
    return [this, reason = closed_] { world_.observer.OnClosed(reason); };
  }
  is_draining_ = false;
  return std::nullopt;
}

// Where the store failed nobody waits for it any more.
bool SegmentCommitLog::IsDone(const Answer& first) const {
  return !first.result.ok() || *first.result <= told_ || has_state_failed_;
}

}  // namespace wharf
