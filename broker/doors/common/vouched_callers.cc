#include "broker/doors/common/vouched_callers.h"

#include <utility>

namespace wharf {

std::unique_ptr<VouchedCallers::Handle> VouchedCallers::Vouch(Caller caller) {
  auto vouched = std::make_shared<const Caller>(std::move(caller));
  auto handle = std::make_unique<Handle>(*this, access::DrawKey(source_));
  MutexLock lock(mutex_);
  callers_.emplace(handle->text(), std::move(vouched));
  return handle;
}

VouchedCallers::CallerPtr VouchedCallers::Find(const std::string& handle) const {
  MutexLock lock(mutex_);
  const auto found = callers_.find(handle);
  return found == callers_.end() ? nullptr : found->second;
}

std::size_t VouchedCallers::size() const {
  MutexLock lock(mutex_);
  return callers_.size();
}

void VouchedCallers::Forget(const std::string& handle) {
  MutexLock lock(mutex_);
  callers_.erase(handle);
}

}  // namespace wharf
