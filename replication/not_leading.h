// NotLeading: what is heard of a node that does not lead, or does not any more.
#pragma once

#include "storage/base/status.h"

namespace wharf {

// Nothing was done; another node may do it.
inline Status NotLeading() {
  return {ErrorCode::kServiceCommunicationProblem,
          "this node does not lead its cluster: ask the one that does"};
}

// The disk, or whatever holds the node up, has not answered for longer than others wait for it.
inline Status Hanging() {
  return {ErrorCode::kServiceCommunicationProblem,
          "this node leads its cluster and its disk does not answer: ask again"};
}

}  // namespace wharf
