// Who holds what.

#include <utility>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {

LockInfo Broker::InfoOf(const LockToken& token, const Lock& lock, std::size_t left) {
  LockInfo info{lock.number, token, lock.owner.since, lock.until, {}, {}};
  if (!lock.facts.session_id.empty()) info.session_id = lock.facts.session_id;
  info.holder = shard_.dispatcher().holders().Describe(lock.owner.holder, left);
  return info;
}

void Broker::ListLocks(std::string path, LockPlace after, std::size_t count_max,
                       Answer<LockPage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), after, count_max,
       answer = std::move(answer)](Turn& turn) mutable {
        const Result<Shard::Target> target = shard_.ResolveHeld(path);
        if (!target.ok()) return Reply(turn, std::move(answer), Result<LockPage>(target.status()));
        const LaneKind kind = target->lane.kind;
        const std::size_t left = target->queue->locks_left(kind);
        const auto locks =
            target->queue->lane(kind).locks().ListAfter(after.until, after.number, count_max + 1);
        LockPage page;
        for (const auto& [token, lock] : locks) {
          if (page.locks.size() == count_max) {
            page.next = LockPlace{page.locks.back().until, page.locks.back().number};
            break;
          }
          page.locks.push_back(InfoOf(token, *lock, left));
        }
        Reply(turn, std::move(answer), Result<LockPage>(std::move(page)));
      },
      1);
}

}  // namespace wharf
