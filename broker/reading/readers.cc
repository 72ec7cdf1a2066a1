#include "broker/reading/readers.h"

#include <utility>

namespace wharf {

void Readers::Read(Urgency urgency, Work work) const {
  Executor& threads = urgency == Urgency::kAwaited ? threads_.awaited : threads_.background;
  threads.Post(
      [store = &store_, work = std::move(work)]() mutable { std::move(work)(*store->View()); });
}

}  // namespace wharf
