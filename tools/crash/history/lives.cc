#include "tools/crash/history/lives.h"

#include <algorithm>
#include <iterator>

namespace wharf::crash {
namespace {

// A broker that is asked to stop gives back what it has not sent; a node that hands leadership over
// cannot any more.
bool WasLockedForNobody(const LifeRecord& life, ErrorCode code) {
  if (code == ErrorCode::kServiceCommunicationProblem) return life.is_killed;
  return code == ErrorCode::kPartitionNotOwned;
}

}  // namespace

const LifeRecord* LifeAt(const History& history, Tick tick) {
  const auto next = std::find_if(history.lives.begin(), history.lives.end(),
                                 [&](const LifeRecord& life) { return life.begin > tick; });
  return next == history.lives.begin() ? nullptr : &*std::prev(next);
}

bool MayHaveLost(const History& history, const ReceiveRecord& receive) {
  if (receive.is_unheard()) return true;
  const LifeRecord* const life = LifeAt(history, receive.begin);
  if (receive.open_credit == 0 || life == nullptr || receive.end < life->signal) return false;
  if (receive.mode != Mode::kPeekLock) return false;
  return receive.is_ok() ? life->is_killed : WasLockedForNobody(*life, receive.reply.code);
}

}  // namespace wharf::crash
