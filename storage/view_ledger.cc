#include "storage/view_ledger.h"

namespace wharf {

ViewLedger::Epoch ViewLedger::Begin() {
  MutexLock lock(mutex_);
  now_ = now_.Next();
  return now_;
}

bool ViewLedger::IsReached(Epoch epoch) const {
  MutexLock lock(mutex_);
  return open_.empty() || open_.begin()->first >= epoch;
}

ViewLedger::Epoch ViewLedger::Open() {
  MutexLock lock(mutex_);
  ++open_[now_];
  return now_;
}

void ViewLedger::Close(Epoch epoch) {
  MutexLock lock(mutex_);
  const auto views = open_.find(epoch);
  if (--views->second == 0) open_.erase(views);
}

}  // namespace wharf
