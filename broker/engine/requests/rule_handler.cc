#include "broker/engine/requests/rule_handler.h"

#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/life.h"
#include "broker/topics/rule_judge.h"

namespace wharf {
namespace {

// What one page of rules may hold, or what they say.
constexpr std::size_t kPageBytesMax = 1024 * 1024;
// What the LIKEs of the rules on one page may cost, a tenth of a second or so; one rule more at
// most.
constexpr std::size_t kLikeStepsMax = 64 * 1024 * 1024;

// Rules that are evaluated for a message which nobody sends. Their chance need not be that of the
// shard: nothing of it is kept.
class Trial {
 public:
  // What only a message that was sent has is not known.
  Trial(Message message, Timestamp now) : message_(std::move(message)) {
    broker_.enqueued_at = now;
    broker_.size = SizeOf(message_);
    message_.body.clear();
  }

  Result<RuleVerdict> Judge(RuleDescription description) {
    const Result<Rule> rule = CompileRule(EntityId(), std::move(description));
    if (!rule.ok()) return rule.status();
    return wharf::Judge(*rule, message_, broker_, random_, like_steps_);
  }

  Result<RuleVerdictPage> JudgeAll(RulePage rules) {
    RuleVerdictPage page{.verdicts = {}, .has_more = rules.has_more};
    std::size_t bytes = 0;
    for (RuleDescription& rule : rules.rules) {
      if (bytes > kPageBytesMax || like_steps_ > kLikeStepsMax) {
        page.has_more = true;
        break;
      }
      Result<RuleVerdict> verdict = Judge(std::move(rule));
      if (!verdict.ok()) return verdict.status();
      bytes += SizeOf(*verdict);
      page.verdicts.push_back(*std::move(verdict));
    }
    return page;
  }

 private:
  Message message_;
  BrokerProperties broker_;
  SystemRandom random_;
  std::size_t like_steps_ = 0;
};

}  // namespace

Result<Queue*> RuleHandler::FindSubscription(const std::string& path) {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  return context_.catalog.Find(EntityKind::kSubscription, path);
}

Result<RuleDescription> RuleHandler::FindRule(const std::string& path, const std::string& name) {
  const Result<Queue*> queue = FindSubscription(path);
  if (!queue.ok()) return queue.status();
  const Rule* rule = topics_.TopicOf(**queue)->rules().Find((*queue)->id(), name);
  if (rule != nullptr) return rule->description;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("the subscription has no rule '{:.64}'", name));
}

Result<RulePage> RuleHandler::RulesOf(const std::string& path, const std::string& after,
                                      std::size_t count_max, std::size_t skip) {
  const Result<Queue*> queue = FindSubscription(path);
  if (!queue.ok()) return queue.status();
  const RuleSet& rules = topics_.TopicOf(**queue)->rules();
  RulePage page;
  std::size_t bytes = 0;
  for (const Rule* rule : rules.List((*queue)->id(), after, count_max + 1, skip)) {
    page.has_more = page.rules.size() == count_max || bytes > kPageBytesMax;
    if (page.has_more) break;
    bytes += SizeOf(rule->description);
    page.rules.push_back(rule->description);
  }
  return page;
}

Result<RulePage> RuleHandler::RulesFor(const EvaluateRulesRequest& question) {
  if (question.rule.empty()) {
    return RulesOf(question.subscription, question.after, question.count_max);
  }
  Result<RuleDescription> rule = FindRule(question.subscription, question.rule);
  if (!rule.ok()) return rule.status();
  RulePage page;
  page.rules.push_back(*std::move(rule));
  return page;
}

void RuleHandler::Plan(Asked<AddRuleRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer),
        entities_.AddRule(asked.request.subscription, std::move(asked.request.rule),
                          AuditLog::AuthorOf(asked.caller), turn));
}

void RuleHandler::Plan(Asked<UpdateRuleRequest> asked, Turn& turn) {
  UpdateRuleRequest& request = asked.request;
  Reply(turn, std::move(asked.answer),
        entities_.UpdateRule(request.subscription, request.name, std::move(request.edit),
                             AuditLog::AuthorOf(asked.caller), turn));
}

void RuleHandler::Plan(Asked<RemoveRuleRequest> asked, Turn& turn) {
  RemoveRuleRequest& request = asked.request;
  Reply(turn, std::move(asked.answer),
        Done(entities_.RemoveRule(request.subscription, request.name, std::move(request.check),
                                  AuditLog::AuthorOf(asked.caller), turn)));
}

void RuleHandler::Plan(Asked<GetRuleRequest> asked, Turn& turn) {
  Reply(turn, std::move(asked.answer), FindRule(asked.request.subscription, asked.request.name));
}

void RuleHandler::Plan(Asked<ListRulesRequest> asked, Turn& turn) {
  const ListRulesRequest& request = asked.request;
  Reply(turn, std::move(asked.answer),
        RulesOf(request.subscription, request.after, request.count_max, request.skip));
}

// The shard only looks the rules up: a reader compiles and asks them. Their topic gives the message
// the time to live that they see.
void RuleHandler::Plan(Asked<EvaluateRulesRequest> asked, Turn& turn) {
  EvaluateRulesRequest& question = asked.request;
  Result<RulePage> rules = RulesFor(question);
  if (!rules.ok()) {
    return Reply(turn, std::move(asked.answer), Result<RuleVerdictPage>(rules.status()));
  }
  const Queue& subscription = **FindSubscription(question.subscription);
  Message& message = question.message;
  message.time_to_live = LifeOf(context_.catalog.TopicOf(subscription)->description(), message);
  from_store_.Reply(turn, std::move(asked.answer),
                    [rules = *std::move(rules), message = std::move(message),
                     now = turn.now](const StoreView&) mutable {
                      return Trial(std::move(message), now).JudgeAll(std::move(rules));
                    });
}

void RuleHandler::Plan(Asked<EvaluateRuleRequest> asked, Turn& turn) {
  EvaluateRuleRequest& question = asked.request;
  if (question.rule.name.empty()) question.rule.name = std::string(kDefaultRuleName);
  from_store_.Reply(turn, std::move(asked.answer),
                    [rule = std::move(question.rule), message = std::move(question.message),
                     now = turn.now](const StoreView&) mutable {
                      return Trial(std::move(message), now).Judge(std::move(rule));
                    });
}

}  // namespace wharf
