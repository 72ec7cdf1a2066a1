// What is asked about messages that stay where they are.
#pragma once

#include <optional>
#include <string>

#include "broker/core/messages/peek.h"
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
};

}  // namespace wharf
