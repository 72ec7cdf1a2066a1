// Place: a stretch of a rule's text, in bytes; where a word stands, and where an error is.
#pragma once

#include <cstdint>

namespace wharf::sql {

struct Place {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

}  // namespace wharf::sql
