// UnixSocket: the file of a listener's Unix socket: how it comes to be ours, and how it goes.
//
// A process that was killed leaves its file behind. Whether somebody listens there is found out by
// connecting; meanwhile the folder is locked, so that of two who start at a time one sees the
// other. Used by the Listener.
#pragma once

#include <string>

#include <sys/types.h>

#include "storage/base/status.h"

namespace wharf {

class UnixSocket {
 public:
  UnixSocket() = default;
  UnixSocket(UnixSocket&& other) noexcept;
  UnixSocket& operator=(UnixSocket&& other) noexcept;
  // Closes it if nobody took it, and takes the file away if it is still the one that was made here.
  ~UnixSocket();

  // Bound and listening. Else why not, as one sentence's end: "somebody listens there already".
  static Result<UnixSocket> Listen(const std::string& path, mode_t mode);

  // From now on the caller closes it.
  int TakeDescriptor();

 private:
  std::string path_;
  int descriptor_ = -1;
  // Of the file.
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace wharf
