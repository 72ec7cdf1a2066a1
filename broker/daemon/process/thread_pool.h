// ThreadPool: a few threads that do what others post: read the store, tell callers.
//
// Made by the daemon and by a leadership; given work on any thread. A pool of one runs its work in
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "storage/base/executor.h"

namespace wharf {

class ThreadPool final : public Executor {
 public:
  enum class Rank : std::uint8_t {
    kOrdinary,
    kLow,  // RankThisThreadLow: what is awaited goes first.
  };

  // The system calls all of them by `name` (NameThisThread).
  ThreadPool(const char* name, std::size_t count, Rank rank = Rank::kOrdinary);
  ~ThreadPool() override;
  // Ends the threads behind what they are running; what else was posted is never run. While the
  // broker works there is always something more to do: waiting for all of it might never end.
  void Stop();

  void Post(Work work) override;

 private:
  struct Pool;
  const std::unique_ptr<Pool> pool_;
};

}  // namespace wharf
