#include "broker/reading/readers.h"

#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {

void Readers::Read(Urgency urgency, Work work) const {
  Executor& threads = urgency == Urgency::kAwaited ? threads_.awaited : threads_.background;
  threads.Post(
      [store = &store_, work = std::move(work)]() mutable { std::move(work)(*store->View()); });
}

void Readers::GiveBack(std::vector<TableRange> space) const {
  threads_.compactions.Post([store = &store_, space = std::move(space)] {
    for (const TableRange& each : space) {
      const Status status = store->GiveBackSpace(each.table, each.range);
      if (!status.ok()) spdlog::error("{}", status.message());
    }
  });
}

}  // namespace wharf
