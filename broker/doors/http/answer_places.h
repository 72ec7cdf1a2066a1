// AnswerPlaces: how many large answers are made at a time, and which of them goes for another one.
//
// Each holds the numbers of all entities while it is read, so there are few. One that has its place
// for long is read by somebody who takes a piece now and then; it ends as soon as somebody else
// wants the place, or a few such readers would keep out all others. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

class AnswerPlaces : public std::enable_shared_from_this<AnswerPlaces> {
 public:
  // Tells the time; it never goes back.
  using Now = std::function<Duration()>;
  // Ends an answer; must not wait, and may come when it is over already. Null: it cannot be ended.
  using CutOff = std::function<void()>;

  // Had for as long as it exists.
  class Place {
   public:
    Place(std::shared_ptr<AnswerPlaces> places, std::uint64_t id)
        : places_(std::move(places)), id_(id) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { places_->GiveBack(id_); }

   private:
    const std::shared_ptr<AnswerPlaces> places_;
    const std::uint64_t id_;
  };

  // Who has a place for `long_enough` has to go when another one comes.
  AnswerPlaces(std::size_t count_max, Duration long_enough, Now now)
      : count_max_(count_max), long_enough_(long_enough), now_(std::move(now)) {}

  // Null: all are had by answers that have not had theirs for long.
  std::unique_ptr<Place> Take(CutOff cut_off);

 private:
  struct Taken {
    Duration since;
    CutOff cut_off;
  };

  void GiveBack(std::uint64_t id);
  // What ends the one that has its place longest, and gives it up, if that is long enough.
  CutOff PushOut(Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::size_t count_max_;
  const Duration long_enough_;
  const Now now_;
  Mutex mutex_;
  std::uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  // In the order in which they were taken.
  std::map<std::uint64_t, Taken> taken_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
