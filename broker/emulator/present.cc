#include "broker/emulator/present.h"

#include <set>
#include <vector>

#include "broker/core/entities/names.h"
#include "broker/emulator/ask_all.h"

namespace wharf::emulator {
namespace {

bool IsMissing(const Status& status) {
  return status.code() == ErrorCode::kMessagingEntityNotFound;
}

// Each path once.
std::vector<GetEntityRequest> LookUpsOf(const Wanted& wanted) {
  std::set<std::string> paths;
  for (const WantedEntity& each : wanted.entities) {
    const QueueDescription& description = each.description;
    paths.insert(FoldPath(description.name));
    for (const auto* target :
         {&description.forward_to, &description.forward_dead_lettered_messages_to}) {
      if (*target) paths.insert(FoldPath(**target));
    }
  }
  std::vector<GetEntityRequest> requests;
  requests.reserve(paths.size());
  for (const std::string& path : paths) requests.push_back({.kind = std::nullopt, .name = path});
  return requests;
}

std::vector<GetRuleRequest> RuleLookUpsOf(const WantedEntity& subscription) {
  const std::string& path = subscription.description.name;
  std::vector<GetRuleRequest> requests;
  requests.push_back({path, std::string(kDefaultRuleName)});
  for (const WantedRule& each : subscription.rules) requests.push_back({path, each.rule.name});
  return requests;
}

}  // namespace

Result<Present> Present::Load(const Wanted& wanted, Requests& broker) {
  Present present;
  WHARF_RETURN_IF_ERROR(present.LoadEntities(wanted, broker));
  WHARF_RETURN_IF_ERROR(present.LoadRules(wanted, broker));
  return present;
}

Status Present::LoadEntities(const Wanted& wanted, Requests& broker) {
  for (Result<QueueSnapshot>& found : AskAll(broker, LookUpsOf(wanted))) {
    if (found.ok()) {
      Put({found->record.kind, std::move(found->record.description)});
    } else if (!IsMissing(found.status())) {
      return found.status();
    }
  }
  return {};
}

Status Present::LoadRules(const Wanted& wanted, Requests& broker) {
  std::vector<GetRuleRequest> requests;
  for (const WantedEntity& each : wanted.entities) {
    if (each.rules.empty() || Find(each.description.name) == nullptr) continue;
    for (GetRuleRequest& request : RuleLookUpsOf(each)) requests.push_back(std::move(request));
  }
  std::vector<Result<RuleDescription>> found = AskAll(broker, requests);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].ok()) {
      PutRule(requests[i].subscription, *std::move(found[i]));
    } else if (!IsMissing(found[i].status())) {
      return found[i].status();
    }
  }
  return {};
}

const PresentEntity* Present::Find(const std::string& path) const {
  const auto found = entities_.find(FoldPath(path));
  return found == entities_.end() ? nullptr : &found->second;
}

const RuleDescription* Present::FindRule(const std::string& subscription,
                                         const std::string& rule) const {
  const auto found = rules_.find({FoldPath(subscription), FoldPath(rule)});
  return found == rules_.end() ? nullptr : &found->second;
}

void Present::Put(PresentEntity entity) {
  std::string path = FoldPath(entity.description.name);
  entities_.insert_or_assign(std::move(path), std::move(entity));
}

void Present::PutRule(const std::string& subscription, RuleDescription rule) {
  std::pair<std::string, std::string> path(FoldPath(subscription), FoldPath(rule.name));
  rules_.insert_or_assign(std::move(path), std::move(rule));
}

}  // namespace wharf::emulator
