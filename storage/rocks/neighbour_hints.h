// NeighbourHints: where RocksDB looks for the place of a row in memory: behind the last one of its
// table that begins with the same bytes (TableOptions::neighbours_prefix).
//
// RocksDB 7.8 looks for the place of a range deletion there, too, which stands in a list of its
// own, and damages both. So no key has such a place that is not longer than the beginning; and in a
// table whose rows are deleted in ranges no key has one while a write with such a range goes into
// memory, or while a start reads a log. Told by the RocksStore before each write, and asked by
// RocksDB inside of it, on the same thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <rocksdb/slice_transform.h>

#include "storage/table.h"

namespace wharf {

class NeighbourHints {
 public:
  // Whether the next write cuts a range out from between neighbours. Until the first one any may.
  void Expect(bool cuts) { *may_cut_ = cuts; }

  // For a table whose rows have neighbours.
  std::shared_ptr<const rocksdb::SliceTransform> For(const TableOptions& table) const {
    return std::make_shared<Prefix>(table.neighbours_prefix,
                                    table.is_deleted_singly ? may_cut_ : nullptr);
  }

 private:
  class Prefix final : public rocksdb::SliceTransform {
   public:
    // `may_cut` null: never.
    Prefix(std::size_t bytes, std::shared_ptr<const std::atomic<bool>> may_cut)
        : bytes_(bytes), may_cut_(std::move(may_cut)) {}

    const char* Name() const override { return "wharf.neighbours"; }
    bool InDomain(const rocksdb::Slice& key) const override {
      return key.size() > bytes_ && (may_cut_ == nullptr || !*may_cut_);
    }
    rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
      return {key.data(), bytes_};
    }

   private:
    const std::size_t bytes_;
    const std::shared_ptr<const std::atomic<bool>> may_cut_;
  };

  // RocksDB keeps what asks for it as long as it likes.
  const std::shared_ptr<std::atomic<bool>> may_cut_ = std::make_shared<std::atomic<bool>>(true);
};

}  // namespace wharf
