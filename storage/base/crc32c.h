// Crc32c: the checksum of what is on disk and on the wire (Castagnoli's polynomial, as in iSCSI).
//
// By the processor's own instruction where it has one, and then three parts of a long text at a
// time: one instruction waits for the one before, and three chains of them hardly for each other.
// Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace wharf {

// Of `before` followed by these bytes, if `before` is what it said of what comes before them.
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace wharf
