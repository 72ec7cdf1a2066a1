// BodyPiece: some bytes of a body, for a caller that looks at it piece by piece.
//
// A plain value; asked for by doors, made by readers.
#pragma once

#include <cstdint>
#include <string>

namespace wharf {

struct BodyPiece {
  std::string data{};
  // Of the whole body.
  std::uint64_t size = 0;
};

}  // namespace wharf
