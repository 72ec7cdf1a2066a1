// Wanted: the entities that a Config.json asks for.
//
// Plain values: read from the file before anything of the broker is there, and compared with what
// there is when it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "broker/core/entities/queue_description.h"
#include "broker/core/entities/rule.h"
#include "broker/emulator/findings.h"
#include "broker/emulator/property.h"

namespace wharf::emulator {

struct WantedRule {
  RuleDescription rule;
  Where where;
};

struct WantedEntity {
  EntityKind kind = EntityKind::kQueue;
  // With its name, of a subscription its path. What the file does not say has its default.
  QueueDescription description;
  // What it says, each in its place: an entity that is there keeps all else.
  std::vector<std::pair<const Property*, Where>> said;
  // Of a subscription; none: nothing is said of them.
  std::vector<WantedRule> rules;
  Where where;

  // What one that is `current` becomes.
  QueueDescription Over(QueueDescription current) const {
    for (const auto& [property, place] : said) property->Copy(description, current);
    return current;
  }
};

struct Wanted {
  // Empty: none was named, and nothing is wanted.
  std::string file;
  // A topic stands before its subscriptions.
  std::vector<WantedEntity> entities;
};

}  // namespace wharf::emulator
