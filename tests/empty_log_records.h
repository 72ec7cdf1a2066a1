// EmptyLogRecords: bytes that a write-ahead log of RocksDB could hold: records of type FULL without
// content. What a client sends may look so.
#pragma once

#include <cstddef>
#include <string>

namespace wharf {

inline std::string EmptyLogRecords(std::size_t count) {
  std::string records;
  for (std::size_t i = 0; i < count; ++i) records += std::string("\x05\x2b\x28\x43\x00\x00\x01", 7);
  return records;
}

}  // namespace wharf
