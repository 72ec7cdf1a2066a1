// Plan: what must be done so that a broker has what a file says, in an order in which it can be
// done; what it has beside that; and what stands in the way.
//
//   create, update    what forwards comes after where it forwards to, a subscription after its
//                     topic; the rules of a subscription behind it
//   update            dead letters that are forwarded to what was made later
//   create            access rules
//   delete            what is not in the file, if that was asked for: rules; entities, what
//                     forwards first; access rules, those of the namespace last
//
// A pure function of two values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tools/wharf/definitions/broker_definitions.h"
#include "tools/wharf/definitions/definitions.h"
#include "tools/wharf/definitions/entity_view.h"
#include "tools/wharf/definitions/property_changes.h"

namespace wharf::tool {

// A request to the broker; or several, for a subscription without rules.
struct Change {
  enum class Verb : std::uint8_t {
    kCreate,
    kUpdate,
    // Of a rule: by another one of its name.
    kReplace,
    kDelete,
  };

  Verb verb;
  DefinitionKind kind;
  // Of the entity; of a rule or an access rule, of what it belongs to. Empty: the namespace.
  std::string path;
  // Of a rule or an access rule.
  std::string name{};
  // What it shall be. A subscription that is created has the first of its rules with it; of what is
  // updated the etag is that of what the plan was made for.
  std::variant<std::monostate, v1::QueueProperties, v1::TopicProperties, SubscriptionDefinition,
               v1::Rule, v1::AccessRule>
      wanted{};
  // Of an update.
  std::vector<PropertyChange> properties{};
  // Of a rule that is replaced, and of a deletion: that of what the plan was made for.
  std::string etag{};
  // Of a deletion: what would be lost.
  Holding lost{};
};

// What the broker has and the file does not, and that stays.
struct Leftover {
  DefinitionKind kind;
  std::string path;
  std::string name{};
};

// Why the file cannot be applied.
struct Obstacle {
  // Of the entity that it is about.
  std::string path;
  // A sentence that names it.
  std::string why;
};

struct Plan {
  std::vector<Change> changes;
  std::vector<Leftover> leftovers;
  std::vector<Obstacle> obstacles;
  // Entities, rules and access rules that are as they should be.
  std::size_t unchanged = 0;

  bool IsEmpty() const { return changes.empty() && leftovers.empty() && obstacles.empty(); }
};

struct PlanOptions {
  // What is not in the file is deleted.
  bool deletes = false;
  // Also if it holds messages, or states of sessions.
  bool loses_messages = false;
  // The access rule by which this program is connected; empty: by none. The one of the namespace
  // that has this name is not deleted.
  std::string own_rule{};
};

Plan MakePlan(const Definitions& wanted, const BrokerDefinitions& present,
              const PlanOptions& options);

}  // namespace wharf::tool
