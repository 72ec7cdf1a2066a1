// What is asked about messages that stay where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/messages/body_piece.h"
#include "broker/core/messages/peek.h"
#include "broker/core/messages/quarantine_export.h"
#include "broker/requests/entity_ref.h"

namespace wharf {

struct PeekRequest {
  using Response = PeekPage;
  EntityRef entity{};
  SequenceNumber from{};
  PeekFilter filter = PeekFilter::kAll;
  std::size_t messages_max = 1;
  std::size_t bytes_max = 0;
  // Only messages of this session (PEEK-8).
  std::optional<std::string> session_id{};
  // Only messages that this SQL filter takes (BRW-1); empty: all.
  std::string sql_filter{};
  // They are not read.
  bool without_bodies = false;
};

// The rows of a message in quarantine, from one on; so many bytes of them, and one at least.
// InvalidOperation if it is not in quarantine.
struct ExportOneRequest {
  using Response = QuarantineExport;
  EntityRef entity{};
  SequenceNumber number{};
  std::uint32_t from_row = 0;
  std::size_t bytes_max = 0;
};

// Some bytes of the body of a message, from there on.
struct PeekBodyRequest {
  using Response = BodyPiece;
  EntityRef entity{};
  SequenceNumber number{};
  std::uint64_t from = 0;
  std::size_t bytes_max = 0;
};

}  // namespace wharf
