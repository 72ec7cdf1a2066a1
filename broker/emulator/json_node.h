// JsonNode: a JSON text as a tree that knows the line of each value, so that what is wrong with it
// can be told with its place.
//
// A plain value; made of a Config.json by its reader. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"

namespace wharf::emulator {

struct JsonNode {
  enum class Kind : std::uint8_t { kNull, kTruth, kWhole, kFraction, kText, kArray, kObject };

  Kind kind = Kind::kNull;
  // Of its name, if it is a member; else where it begins.
  std::size_t line = 0;
  // Of a member of an object.
  std::string name{};
  // What it is, by its kind.
  bool truth = false;
  std::int64_t whole = 0;
  double fraction = 0;
  std::string text{};
  // Of an array, or the members of an object: each name once.
  std::vector<JsonNode> children{};
};

// Of a text that is deeper, or has more values, nothing is read.
inline constexpr std::size_t kJsonDepthMax = 32;
inline constexpr std::size_t kJsonValuesMax = 500'000;

// Comments are allowed. ArgumentError, which begins with the line: "line 3: ...".
Result<JsonNode> ParseJsonNode(std::string_view text);

// As it stands in a sentence: `"orders"`, cut if it is long; "an array".
std::string ToSentence(const JsonNode& node);

}  // namespace wharf::emulator
