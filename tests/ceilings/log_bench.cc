// log_bench: how fast a broker of one node could take messages, if it did nothing but make them
// durable and put them into its store.
//
//   log_bench FOLDER GROUP WINDOW SIZE MESSAGES
//
// Opens the log and the store of a daemon in FOLDER, which must not be there, and appends MESSAGES
// of SIZE bytes in batches of GROUP, at most WINDOW messages without an answer. Run by
// tools/compare, with as many in a batch as the broker beside it had. Prints one line of JSON.
#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "storage/log/segment_commit_log.h"
#include "tests/ceilings/log_flood.h"
#include "tests/harness/single_store.h"

namespace wharf {
namespace {

class NoObserver final : public CommitLog::Observer {
  void OnOpen() override {}
  void OnClosed(Status /*reason*/) override {}
};

Status Measure(const char* path, const FloodPlan& plan) {
  SystemRandom random;
  Result<SingleFolder> folder = OpenSingleStore({.path = path, .tables = BrokerTables()}, random);
  if (!folder.ok()) return folder.status();
  NoObserver observer;
  SegmentCommitLog log(
      {}, *folder->store, std::move(folder->log),
      {.observer = observer, .position = BrokerStatePosition(), .row = BrokerAppliedIndex()});
  WHARF_RETURN_IF_ERROR(MeasureFlood("log", log, IdOf(Table::kMessages), plan));
  log.Stop();
  return {};
}

int Main(int count, char** words) {
  if (count != 6) {
    fmt::print(stderr, "usage: log_bench FOLDER GROUP WINDOW SIZE MESSAGES\n");
    return 2;
  }
  const FloodPlan plan{.group = std::strtoull(words[2], nullptr, 10),
                       .window = std::strtoull(words[3], nullptr, 10),
                       .size = std::strtoull(words[4], nullptr, 10),
                       .messages = std::strtoull(words[5], nullptr, 10)};
  const Status status = Measure(words[1], plan);
  if (!status.ok()) fmt::print(stderr, "log_bench: {}\n", status.message());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace wharf

int main(int count, char** words) { return wharf::Main(count, words); }
