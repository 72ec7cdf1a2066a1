// RuleHandler: plans what is asked of the rules of subscriptions, and what rules say of a message.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <string>

#include "broker/core/queue/queue.h"
#include "broker/engine/entities/entities.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/requests/reply.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/rule_requests.h"
#include "broker/topics/topics.h"

namespace wharf {

class RuleHandler {
 public:
  RuleHandler(const WorkerContext& context, Topics& topics, Entities& entities,
              const StoreReplies& from_store)
      : context_(context), topics_(topics), entities_(entities), from_store_(from_store) {}

  void Plan(Asked<AddRuleRequest> asked, Turn& turn);
  void Plan(Asked<UpdateRuleRequest> asked, Turn& turn);
  void Plan(Asked<RemoveRuleRequest> asked, Turn& turn);
  void Plan(Asked<GetRuleRequest> asked, Turn& turn);
  void Plan(Asked<ListRulesRequest> asked, Turn& turn);
  void Plan(Asked<EvaluateRulesRequest> asked, Turn& turn);
  void Plan(Asked<EvaluateRuleRequest> asked, Turn& turn);

 private:
  Result<Queue*> FindSubscription(const std::string& path);
  Result<RuleDescription> FindRule(const std::string& path, const std::string& name);
  // A page of the rules of a subscription, in the order of their names.
  Result<RulePage> RulesOf(const std::string& path, const std::string& after, std::size_t count_max,
                           std::size_t skip = 0);
  // The rules that a question is about.
  Result<RulePage> RulesFor(const EvaluateRulesRequest& question);

  const WorkerContext context_;
  Topics& topics_;
  Entities& entities_;
  const StoreReplies from_store_;
};

}  // namespace wharf
