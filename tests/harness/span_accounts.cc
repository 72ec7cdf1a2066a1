#include "tests/harness/span_accounts.h"

#include <set>

#include <fmt/core.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/shelf_spans.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

std::set<Shelf> ShelvesOfLanes(const BrokerImage& image) {
  std::set<Shelf> shelves;
  for (const Queue::Image& queue : image.catalog.queues) {
    if (queue.record.description.requires_session) continue;
    shelves.insert({queue.record.id, LaneKind::kMain, queue.main.counters.generation});
  }
  return shelves;
}

std::set<Shelf> ShelvesWithSpans(const StoreView& view) {
  std::set<Shelf> shelves;
  const auto rows = view.Scan(IdOf(Table::kSpans), {"", "\xFF"});
  for (; rows->valid(); rows->Next()) shelves.insert(*ShelfOfKey(rows->key()));
  return shelves;
}

bool HasDelivery(const StoreView& view, const Shelf& shelf, SequenceNumber number) {
  for (const Standing standing : kStandingsInRows) {
    const auto row = view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, standing, number));
    if (row->has_value()) return true;
  }
  return false;
}

// `view`: one that hides nothing.
void CheckCovered(const StoreView& view, const Shelf& shelf, std::string& wrong) {
  const Result<ShelfSpans> spans = ReadSpans(view, shelf);
  if (!spans.ok()) {
    wrong += spans.status().message() + "; ";
    return;
  }
  const auto rows = view.Scan(IdOf(Table::kMessages), ShelfRange(shelf));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfMessageKey(rows->key());
    if (!spans->Covers(number)) continue;
    if (DecodeMessage(number, rows->value())->facts.body_ref) {
      wrong += fmt::format("{} was counted out, and has a body of its own; ", number.value());
    }
    if (HasDelivery(view, shelf, number)) {
      wrong += fmt::format("{} was counted out, and has a delivery row; ", number.value());
    }
  }
}

}  // namespace

std::string FindWrongSpans(const Store& store, const BrokerImage& image) {
  const auto view = store.View();
  const std::set<Shelf> shelves = ShelvesOfLanes(image);
  std::string wrong;
  for (const Shelf& shelf : ShelvesWithSpans(*view)) {
    if (!shelves.contains(shelf)) {
      wrong += fmt::format("entity {} has spans where it has no messages; ", shelf.entity.value());
    }
    CheckCovered(*view, shelf, wrong);
  }
  return wrong;
}

}  // namespace wharf
