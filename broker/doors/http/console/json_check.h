// CheckJson: whether a text is JSON, and has the shape of a message: nothing but its fields, each
// once, lists where there are lists, objects where there are messages or maps.
//
// Stands before protobuf's reader of JSON, which is lenient (bare names, the last of two equal
// fields, one object for a list of one) and whose sentences do not say where. What single values
// must be is left to that. It keeps nothing of the text but the names in the objects it is inside
// of. Pure functions.
#pragma once

#include <string_view>

#include <google/protobuf/descriptor.h>

#include "storage/base/status.h"

namespace wharf::console {

// So deep may objects and lists stand in each other, and so many values and names may there be.
inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

// ArgumentError with the place: `messages[1].bodi: there is no such field`.
Status CheckJson(std::string_view text, const google::protobuf::Descriptor& type);

// Whether JSON has something else for such a message than an object: a time, for example.
bool IsTextInJson(const google::protobuf::Descriptor& type);

}  // namespace wharf::console
