// CommittedEntry: an entry of the log that is to be applied, wherever it was committed.
#pragma once

#include <optional>
#include <string>

#include "storage/entry_log.h"

namespace wharf {

struct CommittedEntry {
  LogEntry entry{};
  // Of a change of members: the members behind it, as the core of the consensus writes them.
  std::optional<std::string> members{};
};

}  // namespace wharf
