#include "broker/doors/amqp/connection/client_ids.h"

namespace wharf::amqp {

std::unique_ptr<ClientIds::Held> ClientIds::Take(const std::string& id, bool is_sole) {
  {
    MutexLock lock(mutex_);
    Holders& holders = holders_[id];
    if (holders.count > 0 && (is_sole || holders.is_sole)) return nullptr;
    ++holders.count;
    holders.is_sole = is_sole;
  }
  return std::make_unique<Held>(*this, id);
}

bool ClientIds::IsFree(const std::string& id, bool is_sole) const {
  MutexLock lock(mutex_);
  const auto found = holders_.find(id);
  return found == holders_.end() || (!is_sole && !found->second.is_sole);
}

void ClientIds::GiveBack(const std::string& id) {
  MutexLock lock(mutex_);
  const auto found = holders_.find(id);
  if (--found->second.count == 0) holders_.erase(found);
}

}  // namespace wharf::amqp
