// What an export of a message in quarantine holds: its rows, as they are stored.
//
// Plain values; asked for by doors, made by readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wharf {

struct ExportedRow {
  enum class Kind : std::uint8_t { kMessage, kDelivery, kBody };
  Kind kind = Kind::kMessage;
  // kBody: which chunk, counted from 0.
  std::uint32_t chunk = 0;
  std::string data{};
  // Why it cannot be read; empty: `data` is all of it.
  std::string unreadable{};
};

// A page of them.
struct QuarantineExport {
  // Why the message is in quarantine.
  std::string reason;
  std::vector<ExportedRow> rows;
  // Where to go on; nothing if there is no more.
  std::optional<std::uint32_t> next;
};

}  // namespace wharf
