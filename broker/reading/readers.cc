#include "broker/reading/readers.h"

#include <utility>

#include "broker/schema/span_view.h"

namespace wharf {

void Readers::Read(Urgency urgency, Work work) const {
  Executor& threads = urgency == Urgency::kAwaited ? threads_.awaited : threads_.background;
  threads.Post([store = &store_, work = std::move(work)]() mutable {
    std::move(work)(SpanView(store->View()));
  });
}

std::shared_ptr<const StoreView> Readers::View() const {
  return std::make_shared<const SpanView>(store_.View());
}

}  // namespace wharf
