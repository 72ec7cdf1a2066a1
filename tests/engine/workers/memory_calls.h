// MemoryCalls: a measure of the work of a turn that no machine's pace moves.
//
// Used by tests of workers that must do as much in a turn whether few wait or many. One thread.
#pragma once

#include <cstddef>

namespace wharf {

// How often this process has taken memory or given it back.
std::size_t MemoryCalls();

}  // namespace wharf
