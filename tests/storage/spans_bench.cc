// spans_bench: what it costs to write late, and only what is still true.
//
// Messages are put, counted and deleted again, as a queue does whose consumers keep up: of 1 KiB,
// each with a row for its lock, in batches as turns make them. An item is one message: collected
// and put into order only; or written to a state without a log as well, batch by batch, or in spans
// of so many messages.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "storage/log/ordered_writes.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

constexpr TableId kMessages = 0;
constexpr TableId kDelivery = 1;
constexpr TableId kCounters = 2;
// What the keys of its rows begin with.
constexpr std::string_view kQueue = "0001-main-";
constexpr int kTurnMessages = 64;
// How far consumers are behind producers.
constexpr int kTurnsBehind = 4;
constexpr int kTurnsToARange = 16;

TableSet Tables() {
  return {{.name = "messages",
           .is_queue = true,
           .is_looked_up = true,
           .neighbours_prefix = kQueue.size(),
           .is_deleted_singly = true},
          {.name = "delivery", .is_queue = true, .neighbours_prefix = kQueue.size()},
          {.name = "counters"},
          {.name = "meta"}};
}

// The batches of a queue, one after another.
class Turns {
 public:
  // Of rows far from all others a range is deleted now and then: a barrier.
  explicit Turns(bool has_ranges) : has_ranges_(has_ranges) {}

  WriteBatch Next() {
    WriteBatch batch;
    const int first = turn_ * kTurnMessages;
    for (int at = first; at < first + kTurnMessages; ++at) batch.Put(kMessages, KeyOf(at), body_);
    const int locked = first - kTurnsBehind / 2 * kTurnMessages;
    for (int at = locked; at < locked + kTurnMessages && at >= 0; ++at) {
      batch.Put(kDelivery, KeyOf(at), lock_);
    }
    const int done = first - kTurnsBehind * kTurnMessages;
    for (int at = done; at < done + kTurnMessages && at >= 0; ++at) {
      batch.SingleDelete(kMessages, KeyOf(at));
      batch.Delete(kDelivery, KeyOf(at));
    }
    batch.Put(kCounters, "queue", fmt::format("{}", ++turn_));
    if (has_ranges_ && turn_ % kTurnsToARange == 0) batch.DeleteRange(kMessages, "a", "b");
    return batch;
  }

 private:
  static std::string KeyOf(int message) { return fmt::format("{}{:012}", kQueue, message); }

  const bool has_ranges_;
  const std::string body_ = std::string(1024, 'b');
  const std::string lock_ = std::string(40, 'l');
  int turn_ = 0;
};

std::vector<WriteBatch> Span(Turns& turns, std::int64_t messages) {
  std::vector<WriteBatch> batches;
  for (std::int64_t left = messages; left > 0; left -= kTurnMessages) {
    batches.push_back(turns.Next());
  }
  return batches;
}

void Collect(const std::vector<WriteBatch>& batches, OrderedWrites& writes) {
  static const TableSet tables = Tables();
  for (const WriteBatch& batch : batches) static_cast<void>(batch.Visit(tables, writes));
}

// Counts what is left.
class Counter final : public WriteBatch::Visitor {
 public:
  void Put(TableId, std::string_view, std::string_view) override { ++left; }
  void Delete(TableId, std::string_view) override { ++left; }
  void SingleDelete(TableId, std::string_view) override { ++left; }
  void DeleteRange(TableId, std::string_view, std::string_view) override { ++left; }
  void NoteTime(Timestamp) override {}
  void NoteFreed(TableId, std::string_view, std::string_view) override {}

  std::int64_t left = 0;
};

void Order(benchmark::State& state, bool has_ranges) {
  Turns turns(has_ranges);
  const std::vector<WriteBatch> batches = Span(turns, state.range(0));
  Counter counter;
  std::int64_t all = 0;
  while (state.KeepRunning()) {
    OrderedWrites writes;
    Collect(batches, writes);
    all += static_cast<std::int64_t>(writes.count());
    writes.Visit(counter);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["left"] = static_cast<double>(counter.left) / static_cast<double>(all);
}
BENCHMARK_CAPTURE(Order, plain, false)->Arg(64)->Arg(1024)->Arg(4096);
BENCHMARK_CAPTURE(Order, with_ranges, true)->Arg(64)->Arg(1024)->Arg(4096);

// With what RocksDB does of it later, on threads of its own: their time counts, too.
void Write(benchmark::State& state, bool has_ranges) {
  const TempFolder folder;
  const auto store = RocksStore::Open({.path = folder.path() + "/state",
                                       .tables = Tables(),
                                       .position = StatePositionRow{.table = 3}})
                         .value();
  Turns turns(has_ranges);
  while (state.KeepRunning()) {
    state.PauseTiming();
    const std::vector<WriteBatch> batches = Span(turns, state.range(0));
    state.ResumeTiming();
    OrderedWrites writes;
    Collect(batches, writes);
    if (!store->Write(writes, RocksStore::Sync::kNo).ok()) state.SkipWithError("not written");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(Write, plain, false)->Arg(64)->Arg(1024)->Arg(4096)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(Write, with_ranges, true)->Arg(64)->Arg(1024)->Arg(4096)->MeasureProcessCPUTime();

}  // namespace
}  // namespace wharf
