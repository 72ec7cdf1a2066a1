// BatchWriter: makes one batch of what it visits. For stores that take nothing else.
#pragma once

#include "storage/write_batch.h"

namespace wharf {

class BatchWriter final : public WriteBatch::Visitor {
 public:
  void Put(TableId table, std::string_view key, std::string_view value) override {
    batch.Put(table, key, value);
  }
  void Delete(TableId table, std::string_view key) override { batch.Delete(table, key); }
  void SingleDelete(TableId table, std::string_view key) override {
    batch.SingleDelete(table, key);
  }
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    batch.DeleteRange(table, begin, end);
  }
  void NoteTime(Timestamp /*time*/) override {}
  void NoteFreed(TableId /*table*/, std::string_view /*begin*/, std::string_view /*end*/) override {
  }

  WriteBatch batch;
};

}  // namespace wharf
