#include "broker/doors/amqp/entities/jms/jms_sweep.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/core/entities/names.h"
#include "broker/doors/amqp/entities/jms/topic_walk.h"
#include "broker/doors/amqp/jms/subscription_name.h"

namespace wharf::amqp {
namespace {

class Sweep : public std::enable_shared_from_this<Sweep> {
 public:
  Sweep(Requests& requests, JmsWorld jms, std::function<bool()> is_open)
      : requests_(requests), jms_(std::move(jms)), is_open_(std::move(is_open)) {}

  // Temporary ones stand side by side.
  void Begin(EntityKind kind) {
    const auto self = shared_from_this();
    WalkEntities(
        requests_, kind, std::string(kTemporaryPrefix),
        [self, kind](const QueuePage& page) { return self->SeeTemporary(kind, page); },
        [self, kind](const Status& ended) {
          if (!ended.ok()) return Tell(ended);
          if (kind == EntityKind::kQueue) return self->Begin(EntityKind::kTopic);
          self->WalkTopics({});
        });
  }

 private:
  static void Tell(const Status& ended) {
    spdlog::warn("what JMS clients left is not all removed, and will be at the next start: {}",
                 ended.message());
  }

  bool SeeTemporary(EntityKind kind, const QueuePage& page) {
    for (const QueueSnapshot& each : page.queues) {
      const QueueDescription& description = each.record.description;
      if (!FoldPath(description.name).starts_with(kTemporaryPrefix)) return false;
      Remove(kind, description);
    }
    return is_open_();
  }

  // A page of topics, and then what stands below each.
  void WalkTopics(const std::string& after) {
    const auto self = shared_from_this();
    auto topics = std::make_shared<std::deque<std::string>>();
    auto has_more = std::make_shared<bool>(false);
    WalkEntities(
        requests_, EntityKind::kTopic, after,
        [topics, has_more](const QueuePage& page) {
          for (const QueueSnapshot& each : page.queues) {
            topics->push_back(each.record.description.name);
          }
          *has_more = page.has_more;
          return false;
        },
        [self, topics, has_more](const Status& ended) {
          if (!ended.ok()) return Tell(ended);
          const std::string last = topics->empty() ? std::string() : topics->back();
          self->WalkBelow(topics, *has_more ? last : std::string());
        });
  }

  // `next`: where the page behind these begins; empty: there is none.
  void WalkBelow(const std::shared_ptr<std::deque<std::string>>& topics, const std::string& next) {
    if (!is_open_()) return;
    if (topics->empty()) {
      if (!next.empty()) WalkTopics(next);
      return;
    }
    const std::string topic = topics->front();
    topics->pop_front();
    const auto self = shared_from_this();
    WalkSubscriptions(
        requests_, topic, [self](const QueuePage& page) { return self->SeeSubscriptions(page); },
        [self, topics, next](const Status& ended) {
          if (!ended.ok()) return Tell(ended);
          self->WalkBelow(topics, next);
        });
  }

  bool SeeSubscriptions(const QueuePage& page) {
    for (const QueueSnapshot& each : page.queues) {
      const QueueDescription& description = each.record.description;
      if (jms::IsOfNonDurable(SplitSubscriptionPath(description.name).name)) {
        Remove(EntityKind::kSubscription, description);
      }
    }
    return is_open_();
  }

  // With the place that nobody else has.
  void Remove(EntityKind kind, const QueueDescription& description) {
    if (description.user_metadata != kGoesWithItsUsers) return;
    const Roster::PlacePtr place = jms_.roster->TryEnter(requests_, jms_.stay, description.name);
    if (place == nullptr) return;
    place->GoesWithIt(kind);
    spdlog::info("{} was left by JMS clients and goes", Quoted(description.name));
  }

  Requests& requests_;
  const JmsWorld jms_;
  const std::function<bool()> is_open_;
};

}  // namespace

void SweepJms(Requests& requests, const JmsWorld& jms, std::function<bool()> is_open) {
  std::make_shared<Sweep>(requests, jms, std::move(is_open))->Begin(EntityKind::kQueue);
}

}  // namespace wharf::amqp
