// SourceFilters: what a JMS consumer asks for in the filter of its source. A pure function; used
// for links that receive, where JMS is served.
#pragma once

#include <optional>
#include <string>

#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp::jms {

struct SourceFilters {
  // Of which messages; absent: of all.
  std::optional<std::string> selector{};
  // What is no filter of JMS.
  Map others{};
};

// That a consumer wants nothing of what its own connection sends is taken, and means nothing
// (JMS-8).
Result<SourceFilters> FiltersOf(const Source& source);

// Which of them are answered: those that are honoured.
std::optional<Map> WithoutNoLocal(const std::optional<Map>& filter);

}  // namespace wharf::amqp::jms
