#include "broker/engine/turn/store_reads.h"

#include <cassert>
#include <utility>

#include "broker/engine/turn/acting.h"

namespace wharf {

void StoreReads::ReadAfter(Turn& turn, Urgency urgency, Work work) {
  if (ActorPtr actor = turn.actor(); actor != nullptr) {
    work = [actor = std::move(actor), work = std::move(work)](const StoreView& view) mutable {
      return ActingFor(std::move(actor), std::move(work)(view));
    };
  }
  turn.OnCommitted([this, urgency, work = std::move(work)](const Status&, Tellings&) mutable {
    if (urgency == Urgency::kAwaited) return Read(std::move(work));
    waiting_.push_back(std::move(work));
    assert(waiting_.size() <= kWaitingMax);
    BeginBackground();
  });
}

void StoreReads::Read(Work work) {
  readers_.Read(Urgency::kAwaited, [this, work = std::move(work)](const StoreView& view) mutable {
    tasks_.Post(work(view));
  });
}

void StoreReads::BeginBackground() {
  if (waiting_.empty() || background_ == kBackgroundMax) return;
  ++background_;
  readers_.Read(Urgency::kBackground,
                [this, work = std::move(waiting_.front())](const StoreView& view) mutable {
                  tasks_.Post([this, found = work(view)](Turn& turn) mutable {
                    --background_;
                    BeginBackground();
                    std::move(found)(turn);
                  });
                });
  waiting_.pop_front();
}

}  // namespace wharf
