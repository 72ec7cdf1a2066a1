// What an operator asks of topics: subscriptions and rules. A message that is sent to one goes the
// way of all messages.

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
  return shard.catalog().Find(EntityKind::kSubscription, FoldPath(path));
}

Result<RuleDescription> FindRule(Shard& shard, const std::string& path, const std::string& name) {
  const Result<Queue*> queue = FindSubscription(shard, path);
  if (!queue.ok()) return queue.status();
  const Rule* rule = shard.topics().TopicOf(**queue)->rules().Find((*queue)->record().id, name);
  if (rule != nullptr) return rule->description;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("the subscription has no rule '{:.64}'", name));
}

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
        const Result<Queue*> found = catalog.Find(EntityKind::kTopic, path);
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
        const Result<Queue*> queue = FindSubscription(shard_, path);
        if (!queue.ok()) return Reply(turn, std::move(answer), Result<RulePage>(queue.status()));
        const auto rules = shard_.topics().TopicOf(**queue)->rules().List((*queue)->record().id,
                                                                          after, count_max + 1);
        RulePage page;
        page.has_more = rules.size() > count_max;
        for (std::size_t i = 0; i < std::min(rules.size(), count_max); ++i) {
          page.rules.push_back(rules[i]->description);
        }
        Reply(turn, std::move(answer), Result<RulePage>(std::move(page)));
      },
      1);
}

}  // namespace wharf
