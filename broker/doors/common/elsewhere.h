// Elsewhere: who has the first word on a client that comes to a door, before a byte of it is read:
// it may be for the door of another node. And which doorway takes one that another node let in.
//
// Called on the threads of listeners. Pure functions otherwise.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "broker/doors/common/doorway.h"
#include "storage/base/descriptor.h"

namespace wharf {

// Whether the client was taken there, with its connection. Empty: nobody is.
using Elsewhere = std::function<bool(Descriptor& connection, bool has_tls)>;

// The first that is like the one by which a client came to the other node; null: there is none.
inline const Doorway* DoorwayLike(const std::vector<Doorway>& doorways, bool has_tls) {
  const auto found = std::find_if(doorways.begin(), doorways.end(), [has_tls](const Doorway& each) {
    return (each.certificates != nullptr) == has_tls;
  });
  return found == doorways.end() ? nullptr : &*found;
}

}  // namespace wharf
