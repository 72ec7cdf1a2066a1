#include "broker/reading/upkeep.h"

#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {

// Space that cannot be given back is no reason to stop.
void Upkeep::OnApplied(BatchNotes notes) {
  garbage_.OnApplied(notes);
  if (notes.freed.empty()) return;
  compactions_.Post([&store = store_, freed = std::move(notes.freed)] {
    for (const TableRange& each : freed) {
      const Status status = store.GiveBackSpace(each.table, each.range);
      if (!status.ok()) spdlog::error("{}", status.message());
    }
  });
}

}  // namespace wharf
