#include "broker/doors/http/answer_places.h"

#include <utility>

namespace wharf {

// It is ended behind the lock: what that lets go may give its place back at once.
std::unique_ptr<AnswerPlaces::Place> AnswerPlaces::Take(CutOff cut_off) {
  const Duration now = now_();
  CutOff pushed_out;
  std::uint64_t id = 0;
  {
    MutexLock lock(mutex_);
    if (taken_.size() >= count_max_) {
      pushed_out = PushOut(now);
      if (!pushed_out) return nullptr;
    }
    id = next_id_++;
    taken_.emplace(id, Taken{now, std::move(cut_off)});
  }
  if (pushed_out) pushed_out();
  return std::make_unique<Place>(shared_from_this(), id);
}

AnswerPlaces::CutOff AnswerPlaces::PushOut(Duration now) {
  const auto oldest = taken_.begin();
  if (now - oldest->second.since < long_enough_ || !oldest->second.cut_off) return nullptr;
  CutOff cut_off = std::move(oldest->second.cut_off);
  taken_.erase(oldest);
  return cut_off;
}

// One that was pushed out has none any more.
void AnswerPlaces::GiveBack(std::uint64_t id) {
  MutexLock lock(mutex_);
  taken_.erase(id);
}

}  // namespace wharf
