#include "tools/wharf/definitions/plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "broker/access/access_rule.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/definitions/forwarding_order.h"
#include "tools/wharf/definitions/rule_reader.h"
#include "tools/wharf/entities/rule_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::Message;
using Verb = Change::Verb;

constexpr char kForwardTo[] = "forward_to";
constexpr char kForwardDeadLetters[] = "forward_dead_lettered_messages_to";
// As many as somebody reads to find where to cut it.
constexpr std::size_t kNamesOfACircleMax = 10;

// One of them with what it shall be, of the type of its kind.
decltype(Change::wanted) WantedOf(const EntityView& entity) {
  switch (entity.kind) {
    case DefinitionKind::kQueue:
      return static_cast<const v1::QueueProperties&>(*entity.properties);
    case DefinitionKind::kTopic:
      return static_cast<const v1::TopicProperties&>(*entity.properties);
    default:
      break;
  }
  return SubscriptionDefinition{static_cast<const v1::SubscriptionProperties&>(*entity.properties),
                                {}};
}

Message& PropertiesOf(Change& change) {
  if (auto* queue = std::get_if<v1::QueueProperties>(&change.wanted)) return *queue;
  if (auto* topic = std::get_if<v1::TopicProperties>(&change.wanted)) return *topic;
  return std::get<SubscriptionDefinition>(change.wanted).properties;
}

void SetText(Message& message, const std::string& field, const std::string& text) {
  message.GetReflection()->SetString(&message, message.GetDescriptor()->FindFieldByName(field),
                                     text);
}

std::string TextIn(const Message& message, const std::string& field) {
  return message.GetReflection()->GetString(message,
                                            message.GetDescriptor()->FindFieldByName(field));
}

std::string ActionText(const v1::Rule& rule) {
  return rule.has_action() ? rule.action().text() : "none";
}

// What two rules say, whatever the case of their names.
std::vector<PropertyChange> ChangesOf(const v1::Rule& from, const v1::Rule& to) {
  Json before = WriteRule(from);
  Json after = WriteRule(to);
  std::vector<PropertyChange> changes = {{.name = "filter",
                                          .from_text = FilterText(from),
                                          .to_text = FilterText(to),
                                          .from = before["filter"],
                                          .to = after["filter"]},
                                         {.name = "action",
                                          .from_text = ActionText(from),
                                          .to_text = ActionText(to),
                                          .from = before["action"],
                                          .to = after["action"]}};
  std::erase_if(changes, [](const PropertyChange& each) { return each.from == each.to; });
  return changes;
}

bool AreEqual(const v1::Rule& one, const v1::Rule& other) { return ChangesOf(one, other).empty(); }

bool AreEqual(const v1::AccessRule& one, const v1::AccessRule& other) {
  return WriteAccessRule(one)["rights"] == WriteAccessRule(other)["rights"];
}

template <typename Named>
const Named* FindByName(const std::vector<Named>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& each) {
    return FoldPath(each.name()) == FoldPath(name);
  });
  return found == all.end() ? nullptr : &*found;
}

std::string RightsText(const v1::AccessRule& rule) {
  const Json written = WriteAccessRule(rule);
  std::string text;
  for (const Json& right : written["rights"]) {
    text += (text.empty() ? "" : ", ") + right.get<std::string>();
  }
  return text;
}

class Planner {
 public:
  Planner(const Definitions& wanted, const BrokerDefinitions& present, const PlanOptions& options)
      : wanted_(wanted),
        present_(present),
        options_(options),
        wanted_entities_(EntitiesOf(wanted)),
        present_entities_(EntitiesOf(present.definitions)) {
    for (const EntityView& each : wanted_entities_) wanted_of_.emplace(each.key, &each);
    for (const EntityView& each : present_entities_) present_of_.emplace(each.key, &each);
  }

  Plan Make() {
    FindExtras();
    CheckTargets();
    PlanEntities();
    Append(std::move(late_));
    PlanAccessRules("", wanted_.access_rules, &present_.definitions.access_rules);
    for (const EntityView& each : wanted_entities_) {
      if (each.access_rules == nullptr || IsInTheWay(each)) continue;
      const EntityView* present = PresentOf(each);
      PlanAccessRules(each.path, *each.access_rules,
                      present == nullptr ? nullptr : present->access_rules);
    }
    Append(std::move(rule_deletions_));
    PlanDeletions();
    // Who is connected by one of the namespace may do the rest before it goes.
    std::stable_partition(access_rule_deletions_.begin(), access_rule_deletions_.end(),
                          [](const Change& each) { return !each.path.empty(); });
    Append(std::move(access_rule_deletions_));
    CheckBounds();
    return std::move(plan_);
  }

 private:
  const EntityView* PresentOf(const EntityView& wanted) const {
    const auto found = present_of_.find(wanted.key);
    return found == present_of_.end() ? nullptr : found->second;
  }

  // The broker has another kind of entity of that name, or of its topic's.
  bool IsInTheWay(const EntityView& wanted) const {
    const EntityView* present = PresentOf(wanted);
    if (present != nullptr && present->kind != wanted.kind) return true;
    if (wanted.kind != DefinitionKind::kSubscription) return false;
    const auto topic = present_of_.find(wanted.topic_key);
    return topic != present_of_.end() && topic->second->kind != DefinitionKind::kTopic;
  }

  void Append(std::vector<Change> changes) {
    for (Change& each : changes) plan_.changes.push_back(std::move(each));
  }

  // A subscription goes, or stays, with its topic.
  void FindExtras() {
    for (const EntityView& each : present_entities_) {
      if (wanted_of_.contains(each.key)) continue;
      const bool goes_with_topic =
          each.kind == DefinitionKind::kSubscription && !wanted_of_.contains(each.topic_key);
      extras_.push_back(each);
      if (!goes_with_topic) listed_extras_.insert(each.key);
    }
  }

  void CheckTargets() {
    for (const EntityView& each : wanted_entities_) {
      CheckTarget(each, kForwardTo, each.forward_key());
      CheckTarget(each, kForwardDeadLetters, each.dead_letter_forward_key());
    }
  }

  void CheckTarget(const EntityView& entity, const char* field, const std::string& key) {
    if (key.empty()) return;
    const std::string target = TextIn(*entity.properties, field);
    const auto refuse = [&](const std::string& why) {
      plan_.obstacles.push_back(
          {entity.path, fmt::format("'{}' has {} '{}', {}", entity.path, field, target, why)});
    };
    if (key == entity.key) return refuse("which is itself");
    const auto wanted = wanted_of_.find(key);
    const auto present = present_of_.find(key);
    const bool is_kept = present != present_of_.end() && !options_.deletes;
    if (wanted == wanted_of_.end() && !is_kept) {
      return refuse(present == present_of_.end() ? "which is neither in the file nor on the broker"
                                                 : "which is not in the file and would be deleted");
    }
    const EntityView& found = wanted == wanted_of_.end() ? *present->second : *wanted->second;
    const bool is_lane = ParseAddress(target).lane != LaneKind::kMain;
    if (is_lane) return refuse("which is a dead-letter queue");
    if (found.kind == DefinitionKind::kSubscription) refuse("which is a subscription");
  }

  // Those of the file, and those that stay beside them.
  std::vector<EntityView> EntitiesAfterwards() const {
    std::vector<EntityView> all = wanted_entities_;
    if (!options_.deletes) all.insert(all.end(), extras_.begin(), extras_.end());
    return all;
  }

  void PlanEntities() {
    const ForwardingOrder order = OrderOf(EntitiesAfterwards());
    if (!order.circle.empty()) return NoteCircle(order.circle);
    for (const std::size_t place : order.places) {
      if (place < wanted_entities_.size()) PlanEntity(wanted_entities_[place]);
    }
  }

  void NoteCircle(const std::vector<std::size_t>& circle) {
    const std::vector<EntityView> all = EntitiesAfterwards();
    std::string names;
    const std::size_t shown = std::min(circle.size(), kNamesOfACircleMax);
    for (std::size_t i = 0; i < shown; ++i) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", all[circle[i]].path);
    }
    if (circle.size() > shown) names += fmt::format(" and {} more", circle.size() - shown);
    plan_.obstacles.push_back({all[circle.front()].path,
                               fmt::format("messages would be forwarded in a circle: {}", names)});
  }

  void PlanEntity(const EntityView& entity) {
    const EntityView* present = PresentOf(entity);
    if (IsInTheWay(entity)) {
      // Its subscriptions need no sentence of their own.
      if (present != nullptr) NoteOtherKind(entity, *present);
      return;
    }
    if (present == nullptr) {
      PlanCreation(entity);
    } else {
      PlanUpdate(entity, *present);
    }
    done_.insert(entity.key);
    if (entity.rules != nullptr) {
      PlanRules(entity, present == nullptr ? nullptr : present->rules);
    }
  }

  void NoteOtherKind(const EntityView& entity, const EntityView& present) {
    plan_.obstacles.push_back(
        {entity.path,
         fmt::format("'{}' is a {} in the file and a {} on the broker, which holds {}: delete that "
                     "first, or take another name",
                     entity.path, NameOf(entity.kind), NameOf(present.kind),
                     TextOf(HoldingOf(present)))});
  }

  // The broker does not know yet where they would go. An entity that is made with such a target
  // is also never deleted for being idle; one that gets it later is what its owner says.
  bool MustForwardDeadLettersLater(const EntityView& entity, bool is_creation) const {
    const std::string key = entity.dead_letter_forward_key();
    if (key.empty()) return false;
    const bool is_there = present_of_.contains(key) || done_.contains(key);
    if (!is_there || !is_creation) return !is_there;
    const auto* idle = entity.properties->GetDescriptor()->FindFieldByName("auto_delete_on_idle");
    return entity.properties->GetReflection()->HasField(*entity.properties, idle);
  }

  void PlanCreation(const EntityView& entity) {
    Change change{.verb = Verb::kCreate, .kind = entity.kind, .path = entity.path};
    change.wanted = WantedOf(entity);
    if (entity.rules != nullptr && !entity.rules->empty()) {
      std::get<SubscriptionDefinition>(change.wanted).rules = {entity.rules->front()};
    }
    if (MustForwardDeadLettersLater(entity, /*is_creation=*/true)) {
      const std::string target = TextIn(*entity.properties, kForwardDeadLetters);
      PlanLateForwarding(entity, "",
                         {.name = kForwardDeadLetters,
                          .from_text = "none",
                          .to_text = target,
                          .from = nullptr,
                          .to = target});
      SetText(PropertiesOf(change), kForwardDeadLetters, "");
    }
    plan_.changes.push_back(std::move(change));
  }

  void PlanLateForwarding(const EntityView& entity, const std::string& etag,
                          PropertyChange forwarding) {
    Change change{.verb = Verb::kUpdate, .kind = entity.kind, .path = entity.path};
    change.wanted = WantedOf(entity);
    SetText(PropertiesOf(change), "etag", etag);
    change.properties.push_back(std::move(forwarding));
    late_.push_back(std::move(change));
  }

  void PlanUpdate(const EntityView& entity, const EntityView& present) {
    std::vector<PropertyChange> properties =
        ChangesBetween(entity.kind, *present.properties, *entity.properties);
    if (properties.empty()) ++plan_.unchanged;
    for (const PropertyChange& each : properties) {
      if (each.is_fixed) NoteFixed(entity, each);
    }
    std::erase_if(properties, [](const PropertyChange& each) { return each.is_fixed; });
    const std::string etag = TextIn(*present.properties, "etag");
    const auto forwarding =
        std::find_if(properties.begin(), properties.end(),
                     [](const auto& each) { return each.name == kForwardDeadLetters; });
    if (forwarding != properties.end() &&
        MustForwardDeadLettersLater(entity, /*is_creation=*/false)) {
      PlanLateForwarding(entity, etag, *forwarding);
      properties.erase(forwarding);
    }
    if (properties.empty()) return;
    Change change{.verb = Verb::kUpdate, .kind = entity.kind, .path = entity.path};
    change.wanted = WantedOf(entity);
    SetText(PropertiesOf(change), "etag", etag);
    change.properties = std::move(properties);
    plan_.changes.push_back(std::move(change));
  }

  void NoteFixed(const EntityView& entity, const PropertyChange& change) {
    const std::string holds = TextOf(HoldingOf(entity));
    plan_.obstacles.push_back(
        {entity.path, fmt::format("'{}' has {} {} on the broker and {} in the file, which is fixed "
                                  "when a {} is created: delete it first, with the {} that it "
                                  "holds, or leave it as it is",
                                  entity.path, change.name, change.from_text, change.to_text,
                                  NameOf(entity.kind), holds)});
  }

  // One that is created has its first rule. Nothing that is taken now is missed meanwhile: what is
  // new comes first.
  void PlanRules(const EntityView& entity, const std::vector<v1::Rule>* present) {
    const std::vector<v1::Rule>& rules = *entity.rules;
    for (std::size_t i = present == nullptr ? 1 : 0; i < rules.size(); ++i) {
      const v1::Rule* there = present == nullptr ? nullptr : FindByName(*present, rules[i].name());
      if (there != nullptr && AreEqual(*there, rules[i])) {
        ++plan_.unchanged;
        continue;
      }
      Change change{.verb = there == nullptr ? Verb::kCreate : Verb::kReplace,
                    .kind = DefinitionKind::kRule,
                    .path = entity.path,
                    .name = rules[i].name()};
      change.wanted = rules[i];
      if (there != nullptr) {
        change.properties = ChangesOf(*there, rules[i]);
        change.etag = there->etag();
      }
      plan_.changes.push_back(std::move(change));
    }
    if (present != nullptr) PlanExtras(DefinitionKind::kRule, entity.path, rules, *present);
  }

  // `present` is null if the entity is new.
  void PlanAccessRules(const std::string& path, const std::vector<v1::AccessRule>& rules,
                       const std::vector<v1::AccessRule>* present) {
    for (const v1::AccessRule& rule : rules) {
      const v1::AccessRule* there =
          present == nullptr ? nullptr : FindByName(*present, rule.name());
      if (there != nullptr && AreEqual(*there, rule)) {
        ++plan_.unchanged;
        continue;
      }
      if (there != nullptr) {
        NoteOtherRights(path, *there, rule);
        continue;
      }
      Change change{.verb = Verb::kCreate,
                    .kind = DefinitionKind::kAccessRule,
                    .path = path,
                    .name = rule.name()};
      change.wanted = rule;
      plan_.changes.push_back(std::move(change));
    }
    if (present != nullptr) PlanExtras(DefinitionKind::kAccessRule, path, rules, *present);
  }

  void NoteOtherRights(const std::string& path, const v1::AccessRule& present,
                       const v1::AccessRule& wanted) {
    const std::string where = path.empty() ? "the namespace" : fmt::format("'{}'", path);
    plan_.obstacles.push_back(
        {path, fmt::format("the access rule '{}' of {} has the rights {} on the broker and {} in "
                           "the file, and rights are fixed: remove it first, and it is made anew "
                           "with new keys, or take another name",
                           wanted.name(), where, RightsText(present), RightsText(wanted))});
  }

  // What belongs to an entity of the file and is not in it.
  template <typename Named>
  void PlanExtras(DefinitionKind kind, const std::string& path, const std::vector<Named>& wanted,
                  const std::vector<Named>& present) {
    for (const Named& each : present) {
      if (FindByName(wanted, each.name()) != nullptr) continue;
      if (options_.deletes) {
        DeleteExtra(kind, path, each.name(), each.etag());
      } else {
        plan_.leftovers.push_back({kind, path, each.name()});
      }
    }
  }

  void DeleteExtra(DefinitionKind kind, const std::string& path, const std::string& name,
                   const std::string& etag) {
    const bool is_access_rule = kind == DefinitionKind::kAccessRule;
    if (is_access_rule && path.empty() && IsOwnRule(name)) NoteOwnRule(name);
    (is_access_rule ? access_rule_deletions_ : rule_deletions_)
        .push_back({.verb = Verb::kDelete, .kind = kind, .path = path, .name = name, .etag = etag});
  }

  // What is made is there beside what is deleted later.
  void CheckBounds() {
    std::int64_t top_level = 0;
    std::map<std::string, std::int64_t> of_topics;
    for (const EntityView& each : present_entities_) Count(each, top_level, of_topics);
    const auto before = top_level;
    for (const EntityView& each : wanted_entities_) {
      if (PresentOf(each) == nullptr) Count(each, top_level, of_topics);
    }
    const EntityBounds& bounds = present_.bounds;
    if (bounds.top_level > 0 && top_level > bounds.top_level && top_level > before) {
      plan_.obstacles.push_back(
          {"", fmt::format("there would be {} queues and topics, and this broker takes {} "
                           "(max-entities)",
                           top_level, bounds.top_level)});
    }
    if (bounds.subscriptions_of_a_topic > 0) CheckSubscriptions(of_topics);
  }

  static void Count(const EntityView& entity, std::int64_t& top_level,
                    std::map<std::string, std::int64_t>& of_topics) {
    entity.kind == DefinitionKind::kSubscription ? ++of_topics[entity.topic_key] : ++top_level;
  }

  // Of topics that get one more.
  void CheckSubscriptions(const std::map<std::string, std::int64_t>& of_topics) {
    const std::int64_t max = present_.bounds.subscriptions_of_a_topic;
    std::set<std::string> told;
    for (const EntityView& each : wanted_entities_) {
      if (each.kind != DefinitionKind::kSubscription || PresentOf(each) != nullptr) continue;
      const std::int64_t count = of_topics.at(each.topic_key);
      if (count <= max || !told.insert(each.topic_key).second) continue;
      plan_.obstacles.push_back(
          {each.path, fmt::format("{}: its topic would have {} subscriptions, and this broker "
                                  "takes {} (max-subscriptions)",
                                  each.path, count, max)});
    }
  }

  bool IsOwnRule(const std::string& name) const {
    return !options_.own_rule.empty() &&
           access::FoldRuleName(name) == access::FoldRuleName(options_.own_rule);
  }

  void NoteOwnRule(const std::string& name) {
    plan_.obstacles.push_back(
        {"", fmt::format("the access rule '{}' of the namespace would be deleted, by which you are "
                         "connected: put it into the file, or connect by another one",
                         name)});
  }

  Holding HoldingOf(const EntityView& entity) const {
    const auto found = present_.holdings.find(entity.key);
    return found == present_.holdings.end() ? Holding() : found->second;
  }

  // What forwards goes before where it forwards to.
  void PlanDeletions() {
    std::vector<std::size_t> places = OrderOf(extras_).places;
    std::reverse(places.begin(), places.end());
    for (const std::size_t place : places) {
      if (options_.deletes && listed_extras_.contains(extras_[place].key)) Delete(extras_[place]);
    }
    if (options_.deletes) return;
    for (const EntityView& each : extras_) {
      if (listed_extras_.contains(each.key)) plan_.leftovers.push_back({each.kind, each.path});
    }
  }

  void Delete(const EntityView& entity) {
    // The same name in another kind has its own sentence.
    const Holding lost = HoldingOf(entity);
    if (!lost.is_empty() && !options_.loses_messages) {
      plan_.obstacles.push_back(
          {entity.path, fmt::format("the {} '{}' holds {}, which would be lost with it; say "
                                    "--lose-messages if that is what you want",
                                    NameOf(entity.kind), entity.path, TextOf(lost))});
    }
    plan_.changes.push_back({.verb = Verb::kDelete,
                             .kind = entity.kind,
                             .path = entity.path,
                             .etag = TextIn(*entity.properties, "etag"),
                             .lost = lost});
  }

  const Definitions& wanted_;
  const BrokerDefinitions& present_;
  const PlanOptions options_;
  const std::vector<EntityView> wanted_entities_;
  const std::vector<EntityView> present_entities_;
  std::unordered_map<std::string, const EntityView*> wanted_of_;
  std::unordered_map<std::string, const EntityView*> present_of_;
  // What the broker has and the file does not; those that are told by themselves.
  std::vector<EntityView> extras_;
  std::set<std::string> listed_extras_;
  // The entities that the plan has come to.
  std::set<std::string> done_;
  // Updates for when everything is there; deletions of what belongs to entities, or the namespace.
  std::vector<Change> late_;
  std::vector<Change> rule_deletions_;
  std::vector<Change> access_rule_deletions_;
  Plan plan_;
};

}  // namespace

Plan MakePlan(const Definitions& wanted, const BrokerDefinitions& present,
              const PlanOptions& options) {
  return Planner(wanted, present, options).Make();
}

}  // namespace wharf::tool
