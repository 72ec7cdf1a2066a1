// Fnv1a: the hash of text that stands on disk.
//
// Which bucket an entity is in, and which partition a message with a key, follows from it, so it
// never changes: another value is another format. The hashes of the libraries we link may change
// with their versions, and differ from one run to the next. Nodes that compare their rows go by it
// as well (replication/verify). A plain function.
#pragma once

#include <cstdint>
#include <string_view>

namespace wharf {

inline constexpr std::uint64_t kFnv1aStart = 0xcbf29ce484222325;

// FNV-1a of 64 bits, by its publication; or of a text behind another, whose hash is given.
constexpr std::uint64_t Fnv1a(std::string_view text, std::uint64_t hash = kFnv1aStart) {
  for (const char byte : text) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace wharf
