// Present: what there is of what a Config.json asks for.
//
// Read from the broker before clients come; a plain value then.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "broker/core/entities/queue_description.h"
#include "broker/core/entities/rule.h"
#include "broker/emulator/wanted.h"
#include "broker/requests/requests.h"
#include "storage/base/status.h"

namespace wharf::emulator {

struct PresentEntity {
  EntityKind kind = EntityKind::kQueue;
  QueueDescription description{};
};

class Present {
 public:
  // Asks for all that is wanted, and for what it forwards to.
  static Result<Present> Load(const Wanted& wanted, Requests& broker);

  // Null: it is not there. By the path of an entity, whatever its case.
  const PresentEntity* Find(const std::string& path) const;
  // Of the rules that are wanted, and $Default.
  const RuleDescription* FindRule(const std::string& subscription, const std::string& rule) const;

  void Put(PresentEntity entity);
  void PutRule(const std::string& subscription, RuleDescription rule);

 private:
  Status LoadEntities(const Wanted& wanted, Requests& broker);
  Status LoadRules(const Wanted& wanted, Requests& broker);

  std::map<std::string, PresentEntity> entities_;
  std::map<std::pair<std::string, std::string>, RuleDescription> rules_;
};

}  // namespace wharf::emulator
