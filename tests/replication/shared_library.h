// SharedLibrary: the raft core, opened once for all tests of this program.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>

#include "replication/core/raft_library.h"

namespace wharf {

inline const RaftLibrary& SharedLibrary() {
  static const std::unique_ptr<RaftLibrary> library = [] {
    auto opened = RaftLibrary::Open(WHARF_RAFT_LIBRARY);
    if (!opened.ok()) {
      std::cerr << opened.status().message() << '\n';
      std::abort();
    }
    return std::move(*opened);
  }();
  return *library;
}

}  // namespace wharf
