// CorrelationFilter: a message matches if it has exactly the values that are set (COR-1..8).
//
// A plain value. Who has many of them asks a CorrelationIndex.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/core/property_value.h"
#include "storage/base/status.h"

namespace wharf {

struct CorrelationFilter {
  // Empty ones are not set (COR-8).
  std::optional<std::string> correlation_id{};
  std::optional<std::string> message_id{};
  std::optional<std::string> to{};
  std::optional<std::string> reply_to{};
  std::optional<std::string> subject{};
  std::optional<std::string> session_id{};
  std::optional<std::string> reply_to_session_id{};
  std::optional<std::string> content_type{};
  PropertyMap application_properties{};

  friend bool operator==(const CorrelationFilter&, const CorrelationFilter&) = default;
};

// FilterException if nothing is set (COR-2), if an application property has no name or no value, or
// if two names differ in their case only (COR-7).
Status Check(const CorrelationFilter& filter);

}  // namespace wharf
