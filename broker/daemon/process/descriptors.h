// Descriptors: how many files and connections wharfd may have open at a time. Used by main.cc.
#pragma once

#include <cstdint>

#include "storage/base/status.h"

namespace wharf {

// Raises the limit of the process as far as it may. Warns if it is low; an error if it is too low
// to work with. The number below which connections may have descriptors: the rest is for files, for
// a store that cannot open one ends the broker.
Result<std::uint64_t> RaiseDescriptors();

}  // namespace wharf
