#include "storage/log/wal_gate.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "storage/log/wal_check.h"

namespace wharf {

WalGate::WalGate(std::shared_ptr<rocksdb::FileSystem> file_system, std::string folder,
                 GroupMark mark)
    : file_system_(std::move(file_system)), folder_(std::move(folder)), mark_(std::move(mark)) {}

// Called with the first log that each table needs.
void WalGate::ColumnFamilyLogNumberMap(const std::map<std::uint32_t, std::uint64_t>& first_logs,
                                       const std::map<std::string, std::uint32_t>&) {
  std::uint64_t first_log = UINT64_MAX;
  for (const auto& [table, log] : first_logs) first_log = std::min(first_log, log);
  status_ = Check(first_log);
}

WalGate::WalProcessingOption WalGate::LogRecordFound(unsigned long long, const std::string&,
                                                     const rocksdb::WriteBatch&,
                                                     rocksdb::WriteBatch*, bool*) {
  return status_.ok() ? WalProcessingOption::kContinueProcessing
                      : WalProcessingOption::kCorruptedRecord;
}

Status WalGate::Check(std::uint64_t first_log) {
  const auto report = CheckWal(*file_system_, folder_, first_log, mark_);
  if (!report.ok()) return report.status();
  const LogDamage& damage = report->damage;
  switch (report->verdict) {
    case WalReport::Verdict::kClean:
      return Status::Ok();
    case WalReport::Verdict::kCorrupt:
      return {ErrorCode::kGeneralError,
              "the write-ahead log " + damage.file + " is damaged at byte " +
                  std::to_string(damage.offset) +
                  ", in a part that had been synced; restore the folder from a backup"};
    case WalReport::Verdict::kTornTail:
      break;
  }
  WHARF_RETURN_IF_ERROR(CutTornTail(*file_system_, folder_, damage));
  spdlog::warn("the last write before the stop was torn: dropped {} bytes of {} from byte {} on",
               damage.bytes_behind, damage.file, damage.offset);
  return Status::Ok();
}

}  // namespace wharf
