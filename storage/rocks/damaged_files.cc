#include "storage/rocks/damaged_files.h"

#include <algorithm>
#include <string_view>

#include <spdlog/spdlog.h>

#include "storage/base/this_thread.h"

namespace wharf {
namespace {

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// RocksDB has one code for bytes that cannot be read and for rows that contradict each other, which
// only a bug of ours can write; that one must not be passed over.
bool IsUnreadable(const rocksdb::Status& status) {
  if (!status.IsCorruption()) return false;
  const std::string sentence = status.ToString();
  return Contains(sentence, ".sst") || Contains(sentence, ".blob") ||
         Contains(sentence, "CRC mismatch");
}

// RocksDB names the file in its sentence and nowhere else: "... in /data/000123.sst offset ...".
// Of a value in a blob file it names none.
std::string FileIn(const std::string& sentence) {
  for (const std::string_view suffix : {".sst", ".blob"}) {
    const std::size_t end = sentence.find(suffix);
    if (end == std::string::npos) continue;
    const std::size_t begin = sentence.find_last_of("/ ", end) + 1;
    return sentence.substr(begin, end + suffix.size() - begin);
  }
  return "a blob file";
}

}  // namespace

void DamagedFiles::Attach(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables) {
  thread_ = std::thread([this, &db, tables] { Run(db, tables); });
}

void DamagedFiles::Detach() {
  {
    MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void DamagedFiles::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                         const rocksdb::CompactionJobInfo& info) {
  Meet(info.cf_id, info.status);
}

bool DamagedFiles::Meet(std::uint32_t table_id, const rocksdb::Status& status) {
  if (!IsUnreadable(status)) return false;
  {
    MutexLock lock(mutex_);
    met_.emplace(table_id, status.ToString());
    resting_.insert(table_id);
  }
  changed_.notify_all();
  return true;
}

// Nothing of the compaction counts.
void DamagedFiles::OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                                     rocksdb::Status* error) {
  const bool is_of_compaction = reason == rocksdb::BackgroundErrorReason::kCompaction;
  if (is_of_compaction && IsUnreadable(*error)) *error = rocksdb::Status::OK();
}

bool DamagedFiles::IsAtRest(std::uint32_t table_id) const {
  MutexLock lock(mutex_);
  return resting_.contains(table_id);
}

std::vector<std::string> DamagedFiles::names() const {
  MutexLock lock(mutex_);
  return {names_.begin(), names_.end()};
}

// A listener may not change an option: RocksDB waits for it.
void DamagedFiles::Run(rocksdb::DB& db, std::span<rocksdb::ColumnFamilyHandle* const> tables) {
  NameThisThread("wharf:damage");
  for (;;) {
    const std::set<Met> met = WaitForMore();
    if (met.empty()) return;
    for (const auto& [id, sentence] : met) {
      const auto table = std::find_if(tables.begin(), tables.end(),
                                      [id = id](auto* each) { return each->GetID() == id; });
      if (table != tables.end()) Rest(db, **table, sentence);
    }
  }
}

std::set<DamagedFiles::Met> DamagedFiles::WaitForMore() {
  MutexLock lock(mutex_);
  while (!is_ending_ && met_.empty()) changed_.wait(mutex_);
  if (is_ending_) return {};
  return std::exchange(met_, {});
}

// As in RocksSpace, it takes effect even if the file of options cannot be written.
void DamagedFiles::Rest(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& table,
                        const std::string& sentence) {
  db.SetOptions(&table, {{"disable_auto_compactions", "true"}}).PermitUncheckedError();
  const std::string name = table.GetName() + "/" + FileIn(sentence);
  {
    MutexLock lock(mutex_);
    if (!names_.insert(name).second) return;
  }
  spdlog::error(
      "{} is damaged: its table is not compacted until the next start; what stands in the damage "
      "cannot be read, all else can ({})",
      name, sentence);
  if (tell_) tell_(Status::Damage(name + " is damaged (" + sentence + ")"));
}

}  // namespace wharf
