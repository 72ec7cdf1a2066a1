// What an operator asks of topics: subscriptions, rules, and what rules say of a message. A message
// that is sent to one goes the way of all messages.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {
namespace {

// The subscription at a path.
Result<Queue*> FindSubscription(Shard& shard, const std::string& path) {
  WHARF_RETURN_IF_ERROR(shard.CheckOpen());
  return shard.catalog().Find(EntityKind::kSubscription, path);
}

Result<RuleDescription> FindRule(Shard& shard, const std::string& path, const std::string& name) {
  const Result<Queue*> queue = FindSubscription(shard, path);
  if (!queue.ok()) return queue.status();
  const Rule* rule = shard.topics().TopicOf(**queue)->rules().Find((*queue)->record().id, name);
  if (rule != nullptr) return rule->description;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("the subscription has no rule '{:.64}'", name));
}

// What one page of rules may hold, or what they say.
constexpr std::size_t kPageBytesMax = 1024 * 1024;
// What the LIKEs of the rules on one page may cost, a tenth of a second or so; one rule more at
// most.
constexpr std::size_t kLikeStepsMax = 64 * 1024 * 1024;

// A page of the rules of a subscription, in the order of their names.
Result<RulePage> RulesOf(Shard& shard, const std::string& path, const std::string& after,
                         std::size_t count_max) {
  const Result<Queue*> queue = FindSubscription(shard, path);
  if (!queue.ok()) return queue.status();
  const RuleSet& rules = shard.topics().TopicOf(**queue)->rules();
  RulePage page;
  std::size_t bytes = 0;
  for (const Rule* rule : rules.List((*queue)->record().id, after, count_max + 1)) {
    page.has_more = page.rules.size() == count_max || bytes > kPageBytesMax;
    if (page.has_more) break;
    bytes += SizeOf(rule->description);
    page.rules.push_back(rule->description);
  }
  return page;
}

// The rules that a question is about.
Result<RulePage> RulesFor(Shard& shard, const RuleQuestion& question) {
  if (question.rule.empty()) {
    return RulesOf(shard, question.path, question.after, question.count_max);
  }
  Result<RuleDescription> rule = FindRule(shard, question.path, question.rule);
  if (!rule.ok()) return rule.status();
  RulePage page;
  page.rules.push_back(*std::move(rule));
  return page;
}

// Its topic gives the message the time to live that the rules of a subscription see.
void LimitLife(Shard& shard, const std::string& path, Message& message) {
  const Result<Queue*> queue = FindSubscription(shard, path);
  if (!queue.ok()) return;
  message.time_to_live = shard.catalog().TopicOf(**queue)->LifeOf(message);
}

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

void Broker::CreateSubscription(QueueDescription description,
                                std::optional<RuleDescription> first_rule,
                                Answer<QueueSnapshot> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, description = std::move(description), first_rule = std::move(first_rule),
       answer = std::move(answer)](Turn& turn) mutable {
        Result<Queue*> queue = shard_.CreateEntity(
            EntityKind::kSubscription, std::move(description), std::move(first_rule), turn);
        Reply(turn, std::move(answer), SnapshotOf(queue));
      },
      1);
}

void Broker::ListSubscriptions(std::string topic, std::string after, std::size_t count_max,
                               Answer<QueuePage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, topic = std::move(topic), after = std::move(after), count_max,
       answer = std::move(answer)](Turn& turn) mutable {
        const std::string path = FoldPath(topic);
        const Catalog& catalog = shard_.catalog();
        const Result<Queue*> found = catalog.Find(EntityKind::kTopic, topic);
        Result<QueuePage> page = found.status();
        if (found.ok()) {
          page = PageOf(catalog.ListSubscriptions(path, after, count_max + 1), count_max);
        }
        Reply(turn, std::move(answer), std::move(page));
      },
      1);
}

void Broker::AddRule(std::string path, RuleDescription rule, Answer<RuleDescription> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), rule = std::move(rule),
       answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), shard_.AddRule(path, std::move(rule), turn));
      },
      1);
}

void Broker::RemoveRule(std::string path, std::string name, Answer<std::monostate> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), name = std::move(name),
       answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), Done(shard_.RemoveRule(path, name, turn)));
      },
      1);
}

void Broker::GetRule(std::string path, std::string name, Answer<RuleDescription> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), name = std::move(name), answer = std::move(answer)](
          Turn& turn) mutable { Reply(turn, std::move(answer), FindRule(shard_, path, name)); },
      1);
}

void Broker::ListRules(std::string path, std::string after, std::size_t count_max,
                       Answer<RulePage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, path = std::move(path), after = std::move(after), count_max,
       answer = std::move(answer)](Turn& turn) mutable {
        Reply(turn, std::move(answer), RulesOf(shard_, path, after, count_max));
      },
      1);
}

// The shard only looks the rules up: a reader compiles and asks them.
void Broker::EvaluateRules(RuleQuestion question, Answer<RuleVerdictPage> answer) {
  if (Status bad = CheckMessage(question.message); !bad.ok()) return std::move(answer)(bad);
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  shard_.Post(
      [this, question = std::move(question), answer = std::move(answer)](Turn& turn) mutable {
        Result<RulePage> rules = RulesFor(shard_, question);
        if (!rules.ok()) {
          return Reply(turn, std::move(answer), Result<RuleVerdictPage>(rules.status()));
        }
        LimitLife(shard_, question.path, question.message);
        ReplyFromStore(turn, readers_, store_, std::move(answer),
                       [rules = *std::move(rules), message = std::move(question.message),
                        now = turn.now](const StoreView&) mutable {
                         return Trial(std::move(message), now).JudgeAll(std::move(rules));
                       });
      },
      1);
}

void Broker::EvaluateRule(RuleDescription rule, Message message, Answer<RuleVerdict> answer) {
  if (Status bad = CheckMessage(message); !bad.ok()) return std::move(answer)(bad);
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  if (rule.name.empty()) rule.name = std::string(kDefaultRuleName);
  shard_.Post(
      [this, rule = std::move(rule), message = std::move(message),
       answer = std::move(answer)](Turn& turn) mutable {
        ReplyFromStore(turn, readers_, store_, std::move(answer),
                       [rule = std::move(rule), message = std::move(message),
                        now = turn.now](const StoreView&) mutable {
                         return Trial(std::move(message), now).Judge(std::move(rule));
                       });
      },
      1);
}

}  // namespace wharf
