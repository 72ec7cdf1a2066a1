#include "storage/archive/batch_archive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <absl/strings/numbers.h>
#include <fmt/core.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "storage/archive/log_batches.h"
#include "storage/base/this_thread.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::uint64_t kArchiveBlockBytesMax = std::uint64_t{1} << 20;
// Of a file, one block; what a file is larger than it should be.
constexpr std::uint64_t kBlocksOfFile = 4;
// What a sync of the archive may hold up the syncs of commits, where both are on one disk.
constexpr std::uint64_t kArchiveSyncedBytes = std::uint64_t{4} << 20;
constexpr Duration kArchiveSyncedEvery = std::chrono::seconds(1);
constexpr Duration kArchiveWarningsEvery = std::chrono::seconds(10);
constexpr std::uint64_t kArchiveFileBytesMax = std::uint64_t{64} << 20;
// Of what the archive may have, one file.
constexpr std::uint64_t kFilesOfArchive = 8;

std::string ArchiveMarkPath(const std::string& data) { return data + "/ARCHIVE"; }

// A mark that cannot be read says nothing.
std::uint64_t ReadArchiveMark(rocksdb::FileSystem& file_system, const std::string& data) {
  std::string text;
  std::uint64_t run = 0;
  const auto read = rocksdb::ReadFileToString(&file_system, ArchiveMarkPath(data), &text);
  return read.ok() && absl::SimpleAtoi(text, &run) ? run : 0;
}

bool AreOnOneDisk(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev;
}

}  // namespace

BatchArchive::BatchArchive(Options options, World world)
    : options_(std::move(options)), world_(std::move(world)), warnings_(kArchiveWarningsEvery) {}

BatchArchive::~BatchArchive() { static_cast<void>(Stop(Duration::max())); }

void BatchArchive::Forget(const std::string& data,
                          std::shared_ptr<rocksdb::FileSystem> file_system) {
  if (!file_system) file_system = rocksdb::FileSystem::Default();
  rocksdb::IOStatus removed = file_system->DeleteFile(ArchiveMarkPath(data), kNoOptions, nullptr);
  if (removed.IsNotFound() || removed.IsPathNotFound()) return;
  if (removed.ok()) removed = SyncFolder(*file_system, data);
  if (removed.ok()) return;
  spdlog::warn("{} may name an archive that its commits are not in: {}", ArchiveMarkPath(data),
               removed.ToString());
}

void BatchArchive::Begin(const std::string& owner, const EntryLog& log,
                         const StatePosition& position, CommitIndex last) {
  {
    MutexLock lock(mutex_);
    owner_ = owner;
    next_ = last.Next();
    begun_behind_ = last;
    has_begun_ = true;
  }
  const Duration until = SteadyNow() + options_.start_max;
  thread_ = std::thread([this, kept = weak_from_this().lock()] { Run(); });
  const std::optional<Found> found = AwaitFound(until);
  if (found && GoOn(*found, log, position, last, until)) return;
  // Before anything is committed that is not in the run which the folder names: this may be an
  // older copy of it, and a later start, which finds the archive, would take the one history for
  // the other.
  Forget(options_.data, options_.file_system);
  MutexLock lock(mutex_);
  next_ = last.Next();
  begins_anew_ = true;
  if (found_) NoteHoleOfStart();
  if (found && !IsResting()) NewRun();
}

std::optional<BatchArchive::Found> BatchArchive::AwaitFound(Duration until) {
  MutexLock lock(mutex_);
  while (!found_ && stats_.trouble.empty() && SteadyNow() < until) {
    changed_.wait_for(mutex_, until - SteadyNow());
  }
  return found_;
}

// An archive that is ahead of the log is that of another copy of the folder.
bool BatchArchive::GoOn(const Found& found, const EntryLog& log, const StatePosition& position,
                        CommitIndex last, Duration until) {
  if (found.run == 0 || found.run != found.last_run || found.is_of_other_key) return false;
  if (found.last > last) {
    const Result<std::uint64_t> behind = CountBatches(log, position.index, log.last_index());
    if (!behind.ok() || found.last.value() > last.value() + *behind) return false;
  }
  CommitIndex first;
  if (found.last < last) {
    const Result<std::uint64_t> before = CountBatches(log, log.start().index, position.index);
    if (!before.ok() || last.value() - *before > found.last.value()) return false;
    first = CommitIndex(last.value() - *before + 1);
  }
  {
    MutexLock lock(mutex_);
    run_ = found.run;
    next_ = found.last.Next();
    queue_.push_back({.last = found.last, .begins_run = run_});
  }
  wake_.notify_one();
  if (found.last >= last) return true;
  const Status filled = FillFrom(log, position, last, first, until);
  if (filled.ok()) return true;
  MutexLock lock(mutex_);
  if (run_ != 0) Break(next_, filled.message());
  found_->last = CommitIndex(next_.value() - 1);
  return false;
}

// `first` is that of the first batch which the log has whole.
Status BatchArchive::FillFrom(const EntryLog& log, const StatePosition& position, CommitIndex last,
                              CommitIndex first, Duration until) {
  CommitIndex next = first;
  return WalkBatches(
      log, log.start().index, position.index, [&](const WholeBatches& whole) -> Status {
        const CommitIndex end(next.value() + whole.head.batches - 1);
        next = end.Next();
        MutexLock lock(mutex_);
        if (end < next_ || end > last) return {};
        while (!TakesMore(whole.payload.size()) && run_ != 0 && SteadyNow() < until) {
          changed_.wait_for(mutex_, until - SteadyNow());
        }
        if (run_ == 0 || !TakesMore(whole.payload.size())) {
          return {ErrorCode::kServiceBusy, "its disk is too slow for what a start has to add"};
        }
        Queue(end, whole.head.batches, whole.payload);
        return {};
      });
}

void BatchArchive::OnBatches(CommitIndex last, std::uint32_t batches, std::string_view bytes) {
  MutexLock lock(mutex_);
  if (!has_begun_ || is_stopping_ || last < next_) return;
  Queue(last, batches, bytes);
}

void BatchArchive::Queue(CommitIndex last, std::uint32_t batches, std::string_view bytes) {
  const CommitIndex first(std::max(last.value() - batches + 1, next_.value()));
  if (run_ != 0 && first != next_) Break(next_, "commits did not come one behind the other");
  if (run_ != 0 && !TakesMore(bytes.size())) {
    Break(next_, "its disk does not keep up with what is committed");
  }
  if (run_ == 0 && IsResting()) {
    stats_.missing_commits += last.value() - first.value() + 1;
    next_ = last.Next();
    return;
  }
  if (run_ == 0) {
    next_ = first;
    NewRun();
  }
  queue_bytes_ += bytes.size();
  queue_.push_back({.last = last, .batches = batches, .bytes = std::string(bytes)});
  next_ = last.Next();
  wake_.notify_one();
}

bool BatchArchive::TakesMore(std::size_t bytes) const {
  return queue_bytes_ == 0 || queue_bytes_ + bytes <= options_.queue_bytes_max;
}

// What was taken before the hole is written first: a run must not begin before the other one ends.
bool BatchArchive::IsResting() const {
  return !found_ || !queue_.empty() || queue_bytes_ > 0 || SteadyNow() < rests_until_;
}

void BatchArchive::Break(CommitIndex from, const std::string& why) {
  run_ = 0;
  ++stats_.holes;
  stats_.trouble = why;
  rests_until_ = SteadyNow();
  if (const auto unsaid = warnings_.Admit()) {
    spdlog::warn("the archive has a hole from commit {} on: {}{}", from.value(), why,
                 Unsaid(*unsaid));
  }
}

// An archive without a run has none, and one that is ahead is that of another copy.
void BatchArchive::NoteHoleOfStart() {
  if (found_->last_run == 0 || found_->last >= begun_behind_) return;
  stats_.missing_commits += begun_behind_.value() - found_->last.value();
  if (stats_.holes > 0) return;
  Break(found_->last.Next(), "what was not archived before this start cannot be added to its run");
}

// Later than all others, by their numbers.
std::uint64_t BatchArchive::NewRun() {
  const auto now = static_cast<std::uint64_t>(world_.wall().time_since_epoch().count());
  last_run_ = run_ = std::max(now, last_run_ + 1);
  queue_.push_back({.last = CommitIndex(next_.value() - 1), .begins_run = run_});
  stats_.trouble.clear();
  spdlog::info("the archive begins a run with commit {}", next_.value());
  wake_.notify_one();
  return run_;
}

std::uint64_t BatchArchive::run() {
  MutexLock lock(mutex_);
  if (run_ == 0 && has_begun_ && !is_stopping_ && !IsResting()) return NewRun();
  return run_;
}

ArchiveStats BatchArchive::stats() const {
  MutexLock lock(mutex_);
  ArchiveStats stats = stats_;
  stats.waiting_bytes = queue_bytes_;
  return stats;
}

bool BatchArchive::Stop(Duration max) {
  if (!thread_.joinable()) return true;
  {
    const Duration now = SteadyNow();
    const Duration until = max < Duration::max() - now ? now + max : Duration::max();
    MutexLock lock(mutex_);
    is_stopping_ = true;
    wake_.notify_one();
    while (!has_ended_ && SteadyNow() < until) {
      changed_.wait_for(mutex_, std::min<Duration>(until - SteadyNow(), std::chrono::hours(1)));
    }
    is_left_ = !has_ended_;
    if (is_left_) {
      thread_.detach();
      return false;
    }
  }
  thread_.join();
  return true;
}

void BatchArchive::Run() {
  NameThisThread("wharf:archive");
  WriteUntilItEnds();
  MutexLock lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

void BatchArchive::WriteUntilItEnds() {
  std::deque<Item> items;
  while (Take(items)) {
    if (items.empty()) {
      Sync();
    } else {
      WriteAll(std::exchange(items, {}));
    }
  }
  if (!writer_ || IsLeft()) return;
  const Status ended = writer_->End();
  if (!ended.ok()) spdlog::warn("the end of the archive may be missing: {}", ended.message());
}

bool BatchArchive::IsLeft() const {
  MutexLock lock(mutex_);
  return is_left_;
}

// Another one may write to the same archive by now.
Status BatchArchive::CheckNotLeft() const {
  if (!IsLeft()) return {};
  return {ErrorCode::kServiceCommunicationProblem, "nobody waits for it any more"};
}

void BatchArchive::Sync() {
  const Status synced = SyncIfDue(/*is_idle=*/true);
  if (synced.ok()) return;
  MutexLock lock(mutex_);
  GiveUp({}, synced);
}

// No items: it is time to sync, or to look for the folder again.
bool BatchArchive::Take(std::deque<Item>& items) {
  if (!writer_) {
    const Status looked = Look();
    if (!looked.ok()) NoteTrouble(looked);
  }
  MutexLock lock(mutex_);
  const Duration until = SteadyNow() + (writer_ ? kArchiveSyncedEvery : options_.pause);
  const bool has_deadline = !writer_ || writer_->unsynced_bytes() > 0;
  while (queue_.empty() && !is_stopping_) {
    if (!has_deadline) {
      wake_.wait(mutex_);
    } else if (SteadyNow() >= until) {
      return true;
    } else {
      wake_.wait_for(mutex_, until - SteadyNow());
    }
  }
  items = std::exchange(queue_, {});
  return !is_left_ && (!items.empty() || !is_stopping_);
}

// Who begins hears of it.
void BatchArchive::NoteTrouble(const Status& why) {
  MutexLock lock(mutex_);
  if (is_left_) return;
  stats_.trouble = why.message();
  if (warnings_.Admit()) {
    spdlog::warn("nothing is archived from commit {} on: {}", next_.value(), why.message());
  }
  changed_.notify_all();
}

Status BatchArchive::Look() {
  const std::string owner = [this] {
    MutexLock lock(mutex_);
    return owner_;
  }();
  folder_ = std::make_unique<ArchiveFolder>(options_.file_system, options_.backups, owner);
  WHARF_RETURN_IF_ERROR(folder_->Make());
  const Result<std::vector<ArchiveFile>> files = folder_->Files();
  if (!files.ok()) return files.status();
  const Result<std::optional<ArchiveRun>> run = folder_->LastRun();
  if (!run.ok()) return run.status();
  Found found{.run = ReadArchiveMark(folder_->file_system(), options_.data)};
  if (!files->empty()) {
    found.last_run = files->back().name.run;
    // A run that nothing was committed in yet.
    found.last = CommitIndex(files->back().name.first.value() - 1);
  }
  if (*run) {
    found.last_time = last_time_ = (*run)->last_time;
    const bool is_last = (*run)->run == found.last_run;
    if (is_last) found.last = (*run)->last;
    const std::string own = options_.encrypt_to ? options_.encrypt_to->key_id() : "";
    found.is_of_other_key = is_last && (*run)->encrypted_to != own;
  }
  const std::uint64_t file_bytes =
      std::min(kArchiveFileBytesMax, options_.bytes_max / kFilesOfArchive);
  block_bytes_max_ = std::min(kArchiveBlockBytesMax, file_bytes / kBlocksOfFile);
  writer_ = std::make_unique<ArchiveWriter>(
      *folder_, ArchiveWriter::Options{options_.bytes_max, file_bytes, options_.encrypt_to});
  {
    MutexLock lock(mutex_);
    found_ = found;
    last_run_ = std::max(last_run_, found.last_run);
    stats_.trouble.clear();
    // The start did not wait for this.
    if (begins_anew_) NoteHoleOfStart();
    changed_.notify_all();
  }
  // Looks into each file, for which nobody waits.
  if (options_.encrypt_to) folder_->WarnOfClear();
  return {};
}

void BatchArchive::WriteAll(std::deque<Item> items) {
  Status written = CheckDisk();
  if (written.ok()) written = Write(items);
  if (written.ok()) written = SyncIfDue(/*is_idle=*/false);
  std::size_t bytes = 0;
  for (const Item& item : items) bytes += item.bytes.size();
  MutexLock lock(mutex_);
  queue_bytes_ -= bytes;
  if (!written.ok()) GiveUp(std::move(items), written);
  changed_.notify_all();
}

// What waits behind an error would be behind a hole.
void BatchArchive::GiveUp(std::deque<Item> taken, const Status& why) {
  if (is_left_) return;
  std::move(queue_.begin(), queue_.end(), std::back_inserter(taken));
  queue_.clear();
  queue_bytes_ = 0;
  const std::uint64_t written = writer_->next().value();
  for (const Item& item : taken) {
    if (item.last.value() < written) continue;
    stats_.missing_commits +=
        std::min<std::uint64_t>(item.batches, item.last.value() - written + 1);
  }
  if (run_ != 0) Break(writer_->next(), why.message());
  rests_until_ = SteadyNow() + options_.pause;
}

Status BatchArchive::CheckDisk() const {
  if (!world_.disk || world_.disk().state != DiskState::kFull) return {};
  if (!AreOnOneDisk(options_.data, options_.backups)) return {};
  return {ErrorCode::kQuotaExceeded, "the disk of the data is full, and the archive is on it"};
}

Status BatchArchive::Write(const std::deque<Item>& items) {
  std::vector<ArchivedBatches> records;
  std::size_t bytes = 0;
  for (const Item& item : items) {
    if (item.begins_run != 0) {
      WHARF_RETURN_IF_ERROR(WriteBlock(records));
      WHARF_RETURN_IF_ERROR(BeginRun(item));
      continue;
    }
    for (const ArchivedBatches& each :
         SplitBatches(item.last, item.batches, item.bytes, last_time_)) {
      last_time_ = each.time;
      const CommitIndex next = records.empty() ? writer_->next() : records.back().last.Next();
      if (each.last < next) continue;
      if (each.first() != next) {
        return {ErrorCode::kGeneralError, "a crash has left a part of an entry in it"};
      }
      if (bytes + each.bytes.size() > block_bytes_max_) {
        WHARF_RETURN_IF_ERROR(WriteBlock(records));
        bytes = 0;
      }
      records.push_back(each);
      bytes += each.bytes.size();
    }
  }
  return WriteBlock(records);
}

Status BatchArchive::WriteBlock(std::vector<ArchivedBatches>& records) {
  if (records.empty()) return {};
  WHARF_RETURN_IF_ERROR(CheckNotLeft());
  const auto taken = std::exchange(records, {});
  if (writer_->unsynced_bytes() == 0) unsynced_since_ = SteadyNow();
  WHARF_RETURN_IF_ERROR(writer_->Append(taken));
  MutexLock lock(mutex_);
  stats_.last = taken.back().last;
  stats_.last_time = taken.back().time;
  for (const ArchivedBatches& each : taken) stats_.bytes_written += each.bytes.size();
  return {};
}

// The mark first: a run that is not there is none that goes on.
Status BatchArchive::BeginRun(const Item& item) {
  WHARF_RETURN_IF_ERROR(folder_->Make());
  WHARF_RETURN_IF_ERROR(CheckNotLeft());
  WHARF_RETURN_IF_ERROR(MarkData(item.begins_run));
  return writer_->Begin(item.begins_run, item.last.Next());
}

// Under another name until it is whole; what a kill leaves of it is written over.
Status BatchArchive::MarkData(std::uint64_t run) const {
  rocksdb::FileSystem& file_system = folder_->file_system();
  const std::string path = ArchiveMarkPath(options_.data);
  const std::string fresh = path + ".dbtmp";
  rocksdb::IOStatus status = rocksdb::WriteStringToFile(&file_system, std::to_string(run), fresh,
                                                        /*should_sync=*/true);
  if (status.ok()) status = file_system.RenameFile(fresh, path, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, options_.data);
  return FromRocks(status, "cannot write " + path);
}

Status BatchArchive::SyncIfDue(bool is_idle) {
  if (!writer_ || writer_->unsynced_bytes() == 0) return {};
  const bool is_due = is_idle || writer_->unsynced_bytes() >= kArchiveSyncedBytes ||
                      SteadyNow() >= unsynced_since_ + kArchiveSyncedEvery;
  return is_due ? writer_->Sync() : Status();
}

}  // namespace wharf
