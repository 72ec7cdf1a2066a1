// NotLeading: what is heard of a node that does not lead, or does not any more.
#pragma once

#include "storage/base/status.h"

namespace wharf {

// Nothing was done; another node may do it (ERR-26).
inline Status NotLeading() {
  return Status::NotOwned({}, "this node does not lead its cluster: ask the one that does");
}

// The disk, or whatever holds the node up, has not answered for longer than others wait for it.
inline Status Hanging() {
  return Status::NotOwned(
      {}, "this node can lead its cluster no more, its disk does not answer: ask another one");
}

}  // namespace wharf
