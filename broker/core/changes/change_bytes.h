// ChangeBytes: what a change holds in memory, about, and so what it adds to the batch of its turn.
#pragma once

#include <cstddef>

#include "broker/core/changes/change.h"

namespace wharf {

// Of the change itself, without what it names.
inline constexpr std::size_t kChangeBytes = sizeof(Change);

// With the message, the chunk or the state that it carries. A body that stands in the store already
// is not carried.
std::size_t BytesOf(const Change& change);

}  // namespace wharf
