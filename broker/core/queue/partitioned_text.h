// What the sentence of a partitioned entity says that refuses messages because of their keys: a
// client that can send them one by one tells it by that from other invalid operations.
#pragma once

#include <string_view>

namespace wharf {

inline constexpr std::string_view kIsPartitioned =
    "is partitioned: messages that are sent together";

}  // namespace wharf
