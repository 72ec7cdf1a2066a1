// ReaderThreads: a few threads that read the store for the shards.
//
// Made by daemon.cc; given work by Readers, on any thread.
#pragma once

#include <cstddef>
#include <memory>

#include "storage/base/executor.h"

namespace wharf {

class ReaderThreads final : public Executor {
 public:
  explicit ReaderThreads(std::size_t count);
  ~ReaderThreads() override;
  // Ends the threads behind what they are running; what else was posted is never run. While the
  // broker works there is always something more to read: waiting for all of it might never end.
  void Stop();

  void Post(Work work) override;

 private:
  struct Pool;
  const std::unique_ptr<Pool> pool_;
};

}  // namespace wharf
