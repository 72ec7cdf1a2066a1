#include "storage/rocks/space_returner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <rocksdb/listener.h>

#include "storage/rocks/hand_compaction.h"

namespace wharf {

rocksdb::Status SpaceReturner::Step(bool is_quiet, StoreSpace::Step& step) {
  Done done;
  const std::optional<FreedSpace::Work> freed = freed_.Next();
  step.waits_for_flush = freed_.waits_for_flush();
  if (freed) {
    const rocksdb::Status status = Compact(freed->piece, done);
    freed_.Spend(*freed, done.bytes);
    step.bytes = done.bytes;
    if (!status.ok() || step.bytes > 0) return status;
  }
  const std::optional<Piece> garbage = garbage_.Next(is_quiet);
  if (!garbage) return rocksdb::Status::OK();
  const rocksdb::Status status = Compact(*garbage, done);
  garbage_.NoteWritten(garbage->table, done.paths);
  step.bytes = done.bytes;
  return status;
}

rocksdb::Status SpaceReturner::Compact(const Piece& piece, Done& done) {
  rocksdb::CompactionJobInfo job;
  const rocksdb::Status status = space_.RunWithin(piece.live_bytes, piece.table, [&] {
    return tables_.FilesOf(piece.table).Compact(piece, job);
  });
  if (status.ok()) done = Count(std::move(job));
  const std::uint32_t id = tables_.handles[piece.table]->GetID();
  const bool is_expected = IsForLater(status) || tables_.damaged_files.Meet(id, status);
  return is_expected ? rocksdb::Status::OK() : status;
}

SpaceReturner::Done SpaceReturner::Count(rocksdb::CompactionJobInfo job) {
  const rocksdb::CompactionJobStats& stats = job.stats;
  const std::uint64_t large_bytes = stats.total_blob_bytes_read + stats.total_output_bytes_blob;
  const std::uint64_t bytes = stats.total_input_bytes + stats.total_output_bytes + large_bytes;
  returned_bytes_ +=
      stats.total_input_bytes - std::min(stats.total_input_bytes, stats.total_output_bytes);
  rewritten_bytes_ += bytes;
  return {std::move(job.output_files), bytes};
}

}  // namespace wharf
