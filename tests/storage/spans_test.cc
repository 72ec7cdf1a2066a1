// Spans: many batches as one write, with what came to nothing left out of it.
//
// Batches of a random life are applied to one store as they are, and to others in spans that are
// cut anywhere. Behind each span all have the same rows, also a state that is flushed, compacted
// and killed at any time, which goes on from where it says that it is. The seed repeats it.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/random.h"
#include "storage/log/ordered_writes.h"
#include "storage/memory/memory_store.h"
#include "storage/rocks/rocks_store.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"
#include "tests/storage/batch_writer.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

// Rows are put once and deleted singly or in ranges; and rows that are put as often as one likes.
constexpr TableId kMessages = 0;
constexpr TableId kBodies = 1;
constexpr TableId kCounters = 2;
constexpr TableId kMeta = 3;
const StatePositionRow kPosition{.table = kMeta};
const KeyRange kEverything{"", "\xFF"};
constexpr int kKeys = 40;
constexpr int kBatches = 400;

TableSet Tables() {
  return {{.name = "messages", .is_queue = true, .is_looked_up = true, .is_deleted_singly = true},
          {.name = "bodies", .in_blob_files = true, .is_deleted_singly = true},
          {.name = "counters"},
          {.name = "meta"}};
}

using Rows = std::vector<std::map<std::string, std::string>>;

// Of all tables but the one that says how far a state is.
Rows RowsOf(const Store& store) {
  Rows rows(kMeta);
  const auto view = store.View();
  for (TableId table = 0; table < kMeta; ++table) {
    const auto cursor = view->Scan(table, kEverything);
    for (; cursor->valid(); cursor->Next()) rows[table].emplace(cursor->key(), cursor->value());
    EXPECT_TRUE(cursor->status().ok()) << cursor->status().message();
  }
  return rows;
}

// What a broker might write: it keeps to the way in which rows of a table are deleted.
class RandomLife {
 public:
  explicit RandomLife(Random& random) : random_(random) {}

  WriteBatch Next() {
    WriteBatch batch;
    for (std::uint64_t left = 1 + Below(6); left > 0; --left) Write(batch);
    return batch;
  }

 private:
  std::uint64_t Below(std::uint64_t end) { return random_.Next() % end; }
  static std::string KeyOf(std::uint64_t number) { return fmt::format("{:02}", number); }

  void Write(WriteBatch& batch) {
    const TableId table = static_cast<TableId>(Below(kMeta));
    if (Below(25) == 0) return DeleteRange(table, batch);
    if (table != kCounters) return PutOrDeleteSingly(table, batch);
    const std::string key = KeyOf(Below(kKeys));
    if (Below(3) == 0) return batch.Delete(table, key);
    batch.Put(table, key, ValueOf(Below(20)));
  }

  void PutOrDeleteSingly(TableId table, WriteBatch& batch) {
    const std::string key = KeyOf(Below(kKeys));
    if (alive_[table].erase(key) > 0) return batch.SingleDelete(table, key);
    alive_[table].insert(key);
    batch.Put(table, key, ValueOf(Below(table == kBodies ? 3000 : 20)));
  }

  void DeleteRange(TableId table, WriteBatch& batch) {
    const std::uint64_t begin = Below(kKeys);
    const std::string from = KeyOf(begin);
    const std::string to = KeyOf(begin + 1 + Below(kKeys / 2));
    std::set<std::string>& alive = alive_[table];
    alive.erase(alive.lower_bound(from), alive.lower_bound(to));
    batch.DeleteRange(table, from, to);
  }

  std::string ValueOf(std::uint64_t bytes) {
    return fmt::format("{} {}", ++values_, std::string(bytes, 'v'));
  }

  Random& random_;
  std::set<std::string> alive_[kMeta];
  int values_ = 0;
};

class SpanStores {
 public:
  explicit SpanStores(Random& random) : random_(random), life_(random) { OpenState(); }

  // What is appended to a log, and what a store without spans makes of it.
  void AddBatch() {
    batches_.push_back(life_.Next());
    Check(plain_.Apply(batches_.back()));
  }

  // All that the stores lack, as one write of each.
  void WriteSpan() {
    WriteToMemory(batches_.size());
    WriteToState(batches_.size());
  }
  void Compare() {
    const Rows rows = RowsOf(plain_);
    EXPECT_EQ(RowsOf(memory_), rows);
    EXPECT_EQ(RowsOf(*state_), rows);
  }

  // As kill -9 does: what was not flushed is lost, and is written again, in other spans.
  void KillState() {
    OpenState();
    written_ = kPosition.Read(*state_)->index;
    while (written_ < batches_.size()) {
      WriteToState(written_ + 1 + random_.Next() % (batches_.size() - written_));
    }
  }
  void Disturb() {
    const std::uint64_t what = random_.Next() % 40;
    if (what < 4) Check(state_->Flush());
    // One of RocksDB's own may be in the way.
    if (what == 4) static_cast<void>(state_->CompactAll());
    if (what == 5) KillState();
  }

 private:
  void OpenState() {
    state_.reset();
    auto opened = RocksStore::Open({.path = folder_.path() + "/state",
                                    .tables = Tables(),
                                    .write_buffer_bytes = 1 << 20,
                                    .position = kPosition});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    state_ = *std::move(opened);
  }

  void WriteToMemory(std::size_t end) {
    OrderedWrites writes;
    for (; in_memory_ < end; ++in_memory_) Collect(batches_[in_memory_], writes);
    BatchWriter span;
    writes.Visit(span);
    Check(memory_.Apply(span.batch));
  }
  void WriteToState(std::size_t end) {
    OrderedWrites writes;
    for (; written_ < end; ++written_) Collect(batches_[written_], writes);
    WriteBatch position;
    kPosition.Put({.index = end, .term = 1}, position);
    Collect(position, writes);
    Check(state_->Write(writes, RocksStore::Sync::kNo));
  }
  static void Collect(const WriteBatch& batch, OrderedWrites& writes) {
    Check(batch.Visit(Tables(), writes));
  }
  static void Check(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

  TempFolder folder_;
  Random& random_;
  RandomLife life_;
  std::vector<WriteBatch> batches_;
  MemoryStore plain_{Tables()};
  MemoryStore memory_{Tables()};
  std::unique_ptr<RocksStore> state_;
  std::size_t in_memory_ = 0;
  std::size_t written_ = 0;
};

TEST(SpansTest, MakeTheStateThatTheirBatchesMakeWhereverTheyAreCut) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 1);
  for (std::uint64_t seed = first; seed < first + 8 * rounds; ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={}", seed));
    SeededRandom random(seed);
    SpanStores stores(random);
    const std::uint64_t span_batches = 1 + random.Next() % 60;
    for (int batch = 0; batch < kBatches; ++batch) {
      stores.AddBatch();
      if (random.Next() % span_batches > 0) continue;
      stores.WriteSpan();
      stores.Disturb();
      stores.Compare();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace wharf
