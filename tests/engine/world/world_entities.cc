// Entities and rules: made, changed, deleted.
//
// Messages go on from the left to the right of kOrder only, so that none comes back; dead letters
// go anywhere.

#include <algorithm>
#include <iterator>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/engine/world/world_rules.h"
#include "tests/engine/world/world_run.h"

namespace wharf {
namespace {

using std::chrono::seconds;

const std::string kOrder[] = {"a", "t", "b", "u", "c"};

std::string TopLevelOf(const std::string& name) { return name.substr(0, name.find('/')); }

}  // namespace

// Each behind those that it may forward to.
const std::vector<std::string>& WorldRun::Names() {
  static const std::vector<std::string> kNames = {
      "c", "u", "u/Subscriptions/one", "u/Subscriptions/two",
      "b", "t", "t/Subscriptions/one", "t/Subscriptions/two",
      "a"};
  return kNames;
}

EntityKind WorldRun::KindOf(const std::string& name) {
  if (name.find('/') != std::string::npos) return EntityKind::kSubscription;
  return name == "t" || name == "u" ? EntityKind::kTopic : EntityKind::kQueue;
}

std::set<std::string> WorldRun::At(const std::string& name) {
  std::set<std::string> at = {name, TopLevelOf(name)};
  for (const std::string& other : Names()) {
    if (other.starts_with(name + "/")) at.insert(other);
  }
  return at;
}

void WorldRun::CreateAll() {
  for (const std::string& name : Names()) {
    Create(name);
    CheckAccounts();
  }
}

// Often none.
std::optional<std::string> WorldRun::AnyTarget(const std::string& name, bool of_dead_letters) {
  if (!OneIn(3)) return std::nullopt;
  std::vector<std::string> targets;
  const auto* const place = std::find(std::begin(kOrder), std::end(kOrder), TopLevelOf(name));
  for (const auto* target = of_dead_letters ? std::begin(kOrder) : std::next(place);
       target != std::end(kOrder); ++target) {
    if (*target != name) targets.push_back(*target);
  }
  if (targets.empty()) return std::nullopt;
  return OneOf(targets);
}

QueueDescription WorldRun::AnyDescription(const QueueDescription& fixed) {
  const std::string& name = fixed.name;
  const EntityKind kind = KindOf(name);
  QueueDescription description;
  description.name = name;
  description.requires_duplicate_detection = fixed.requires_duplicate_detection;
  description.enable_partitioning = fixed.enable_partitioning;
  description.enable_priority = fixed.enable_priority;
  description.duplicate_detection_history_time_window = AnySeconds(20, 100);
  if (OneIn(3)) description.default_message_time_to_live = AnySeconds(20, 80);
  if (OneIn(10)) description.status = EntityStatus::kSendDisabled;
  if (kind == EntityKind::kTopic) return description;
  description.lock_duration = AnySeconds(5, 60);
  description.max_delivery_count = static_cast<std::int32_t>(1 + Below(4));
  description.dead_lettering_on_message_expiration = OneIn(2);
  if (OneIn(4)) description.retry_policy = RetryPolicy{Backoff::kLinear, seconds(3)};
  if (OneIn(12)) description.status = EntityStatus::kReceiveDisabled;
  if (kind == EntityKind::kSubscription) {
    description.status = EntityStatus::kActive;
    description.dead_lettering_on_filter_evaluation_exceptions = OneIn(2);
  }
  const bool is_plain = !description.enable_partitioning && !description.enable_priority;
  if (is_plain) {
    description.forward_to = AnyTarget(name, false);
    description.forward_dead_lettered_messages_to = AnyTarget(name, true);
  }
  // TTL-16.
  if (description.forward_to) description.default_message_time_to_live = kUnlimited;
  return description;
}

void WorldRun::Create(const std::string& name) {
  const EntityKind kind = KindOf(name);
  QueueDescription fixed;
  fixed.name = name;
  fixed.requires_duplicate_detection = kind != EntityKind::kSubscription && OneIn(2);
  if (kind == EntityKind::kQueue && OneIn(3)) {
    (OneIn(2) ? fixed.enable_partitioning : fixed.enable_priority) = true;
  }
  const QueueDescription description = AnyDescription(fixed);
  Ask<QueueSnapshot>(
      "create " + name, At(name),
      [&](Broker& broker, Answer<QueueSnapshot> answer) {
        if (kind == EntityKind::kSubscription) {
          broker.CreateSubscription(description, std::nullopt, std::move(answer));
        } else {
          broker.Create(kind, description, std::move(answer));
        }
      },
      [kind, description](WorldModel& world, const Result<QueueSnapshot>* answer) {
        return Agrees(answer, world.Create(kind, description));
      });
}

void WorldRun::CreateOrUpdate() {
  const std::string name = OneOf(Names());
  const ModelQueue* queue = worlds_.any().Find(name);
  if (queue == nullptr) return Create(name);
  const QueueDescription description = AnyDescription(queue->description());
  Ask<QueueSnapshot>(
      "update " + name, At(name),
      [&](Broker& broker, Answer<QueueSnapshot> answer) {
        broker.Update(KindOf(name), description, std::move(answer));
      },
      [description](WorldModel& world, const Result<QueueSnapshot>* answer) {
        return Agrees(answer, world.Update(description));
      });
}

// The first queue stays, so that there is always something.
void WorldRun::Delete() {
  const std::string name = OneOf(Names());
  if (name == "a" || OneIn(2)) return;
  Ask<std::monostate>(
      "delete " + name, At(name),
      [&](Broker& broker, Answer<std::monostate> answer) {
        broker.Delete(KindOf(name), name, std::move(answer));
      },
      [name](WorldModel& world, const Result<std::monostate>* answer) {
        return Agrees(answer, world.Delete(name));
      });
}

void WorldRun::ChangeRule() {
  const std::string name = OneOf(Names());
  if (KindOf(name) != EntityKind::kSubscription) return;
  const std::size_t place = OneIn(4) ? kDefaultRule : Below(ModelRules().size());
  const RuleDescription& rule = ModelRules()[place].told;
  if (OneIn(2)) {
    return Ask<RuleDescription>(
        fmt::format("add the rule {} to {}", rule.name, name), {name},
        [&](Broker& broker, Answer<RuleDescription> answer) {
          broker.AddRule(name, rule, std::move(answer));
        },
        [=](WorldModel& world, const Result<RuleDescription>* answer) {
          return Agrees(answer, world.AddRule(name, place));
        });
  }
  Ask<std::monostate>(
      fmt::format("remove the rule {} of {}", rule.name, name), {name},
      [&](Broker& broker, Answer<std::monostate> answer) {
        broker.RemoveRule(name, rule.name, std::move(answer));
      },
      [=](WorldModel& world, const Result<std::monostate>* answer) {
        return Agrees(answer, world.RemoveRule(name, place));
      });
}

}  // namespace wharf
