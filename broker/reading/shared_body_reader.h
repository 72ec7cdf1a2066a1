// Reads whether bodies are still shared by any message, and which of them are to be looked at.
//
// Any thread.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/messages/message.h"
#include "storage/store.h"

namespace wharf {

Result<bool> HasHolders(const StoreView& view, const BodyRef& body);

// Where the released bodies of a bucket are read: behind this one, or from the first.
struct ReleasedPlace {
  Bucket bucket{};
  std::optional<BodyRef> after{};
};
// The next ones there, in the order of their keys.
Result<std::vector<BodyRef>> ReadReleasedBodies(const StoreView& view, const ReleasedPlace& place,
                                                std::size_t count_max);

}  // namespace wharf
