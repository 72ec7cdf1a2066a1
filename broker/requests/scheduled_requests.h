// What is asked about scheduled messages: all of those that are named, or none (SCH-4, SCX-1).
#pragma once

#include <variant>
#include <vector>

#include "broker/core/messages/scheduled_page.h"
#include "broker/requests/entity_ref.h"
#include "broker/requests/number_requests.h"

namespace wharf {

struct CancelScheduledRequest {
  using Response = std::monostate;
  EntityRef entity{};
  Numbers numbers{};
};

struct RescheduleRequest {
  using Response = std::monostate;
  EntityRef entity{};
  Numbers numbers{};
  Timestamp time{};
};

// Answered with their new numbers.
struct ActivateScheduledRequest {
  using Response = Numbers;
  EntityRef entity{};
  Numbers numbers{};
};

// In the order of their times.
struct ListScheduledRequest {
  using Response = ScheduledPage;
  EntityRef entity{};
  ScheduledTime from{};
  std::size_t messages_max = 1;
  std::size_t bytes_max = 0;
  // They are not read.
  bool without_bodies = false;
};

}  // namespace wharf
