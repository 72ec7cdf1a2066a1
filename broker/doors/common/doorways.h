// Doorways: where clients come in to a door, from when it listens until it lets nobody in any more.
//
// A client that another node let in comes by the one that is like the one there. Owned by a door's
// server; any thread.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/doorway.h"
#include "storage/base/descriptor.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

class Doorways {
 public:
  // On the threads of the listeners.
  using Accepted = std::function<void(Descriptor connection, const Doorway& doorway)>;

  // Once. An error: some may let clients in.
  Status Listen(std::vector<Doorway> doorways, const Accepted& accepted) {
    {
      MutexLock lock(mutex_);
      doorways_ = std::move(doorways);
      is_open_ = true;
    }
    for (const Doorway& doorway : doorways_) {
      WHARF_RETURN_IF_ERROR(doorway.listener->Start(
          [accepted, &doorway](int connection) { accepted(Descriptor(connection), doorway); }));
    }
    return {};
  }

  // Lets nobody in any more; after it `accepted` is not called. Harmless again, or if it never
  // listened.
  void Close() {
    for (const Doorway& doorway : doorways_) doorway.listener->Stop();
    MutexLock lock(mutex_);
    is_open_ = false;
  }

  // The first that speaks TLS, or does not; null: there is none, or they are closed.
  const Doorway* Like(bool has_tls) const {
    MutexLock lock(mutex_);
    if (!is_open_) return nullptr;
    const auto found = std::find_if(doorways_.begin(), doorways_.end(), [has_tls](const auto& one) {
      return (one.certificates != nullptr) == has_tls;
    });
    return found == doorways_.end() ? nullptr : &*found;
  }
  bool is_open() const {
    MutexLock lock(mutex_);
    return is_open_;
  }

 private:
  mutable Mutex mutex_;
  // Constant once they are open.
  std::vector<Doorway> doorways_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
