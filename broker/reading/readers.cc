#include "broker/reading/readers.h"

#include <chrono>
#include <utility>

#include "broker/reading/counted_view.h"
#include "broker/schema/span_view.h"

namespace wharf {
namespace {

// Below what hides rows: those are read as well.
std::unique_ptr<const StoreView> Counted(std::unique_ptr<const StoreView> rows,
                                         std::shared_ptr<ReadCounts> counts) {
  return std::make_unique<CountedView>(std::move(rows), std::move(counts));
}

}  // namespace

void Readers::Read(Urgency urgency, Work work) const {
  Executor& threads = urgency == Urgency::kAwaited ? threads_.awaited : threads_.background;
  threads.Post([store = &store_, counts = CountsOf(urgency), work = std::move(work)]() mutable {
    const auto begin = std::chrono::steady_clock::now();
    std::move(work)(SpanView(Counted(store->View(), counts)));
    counts->NoteRead(
        std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin));
  });
}

// Many steps are never what somebody waits for.
std::shared_ptr<const StoreView> Readers::View() const {
  return std::make_shared<const SpanView>(Counted(store_.View(), background_));
}

}  // namespace wharf
