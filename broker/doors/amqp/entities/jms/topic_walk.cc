#include "broker/doors/amqp/entities/jms/topic_walk.h"

#include <memory>
#include <utility>

#include "broker/core/entities/names.h"

namespace wharf::amqp {
namespace {

constexpr std::size_t kPageMax = 100;

Caller Door() { return DoorItself({.peer = {}, .tracking_id = NewTrackingId()}); }

std::string LastOf(const QueuePage& page) {
  return page.queues.empty() ? std::string() : page.queues.back().record.description.name;
}

}  // namespace

void WalkEntities(Requests& requests, EntityKind kind, std::string after, SeePage seen,
                  WalkEnded then) {
  ListEntitiesRequest request{.kind = kind, .after = std::move(after), .count_max = kPageMax};
  requests.Ask(Door(), std::move(request),
               [&requests, kind, seen = std::move(seen),
                then = std::move(then)](const Result<QueuePage>& page) {
                 if (!page.ok()) return then(page.status());
                 if (!seen(*page) || !page->has_more) return then({});
                 WalkEntities(requests, kind, LastOf(*page), seen, then);
               });
}

namespace {

void WalkSubscriptionsFrom(Requests& requests, const std::string& topic, std::string after,
                           SeePage seen, WalkEnded then) {
  ListSubscriptionsRequest request{
      .topic = topic, .after = std::move(after), .count_max = kPageMax};
  requests.Ask(Door(), std::move(request),
               [&requests, topic, seen = std::move(seen),
                then = std::move(then)](const Result<QueuePage>& page) {
                 // It may have gone meanwhile.
                 if (page.status().code() == ErrorCode::kMessagingEntityNotFound) return then({});
                 if (!page.ok()) return then(page.status());
                 if (!seen(*page) || !page->has_more) return then({});
                 const std::string last(SplitSubscriptionPath(LastOf(*page)).name);
                 WalkSubscriptionsFrom(requests, topic, last, seen, then);
               });
}

}  // namespace

void WalkSubscriptions(Requests& requests, std::string topic, SeePage seen, WalkEnded then) {
  WalkSubscriptionsFrom(requests, topic, {}, std::move(seen), std::move(then));
}

namespace {

// It may have gone meanwhile.
void AskSpelling(Requests& requests, const std::string& path,
                 std::function<void(const Result<std::string>& path)> then) {
  requests.Ask(Door(), GetEntityRequest{.kind = EntityKind::kSubscription, .name = path},
               [then = std::move(then)](const Result<QueueSnapshot>& there) {
                 const Status& found = there.status();
                 if (found.code() == ErrorCode::kMessagingEntityNotFound)
                   return then(std::string());
                 if (!found.ok()) return then(found);
                 then(there->record.description.name);
               });
}

}  // namespace

void FindSubscription(Requests& requests, std::string name,
                      std::function<void(const Result<std::string>& path)> then) {
  const auto found = std::make_shared<std::string>();
  WalkEntities(
      requests, EntityKind::kTopic, {},
      [&requests, found, name = std::move(name)](const QueuePage& page) {
        for (const QueueSnapshot& topic : page.queues) {
          std::string path = SubscriptionPath(topic.record.description.name, name);
          if (!requests.Find(path).lane.has_value()) continue;
          *found = std::move(path);
          return false;
        }
        return true;
      },
      [&requests, found, then = std::move(then)](const Status& ended) {
        if (!ended.ok()) return then(ended);
        if (found->empty()) return then(std::string());
        AskSpelling(requests, *found, then);
      });
}

void FindFor(const LinkWorld& world, std::string name, std::shared_ptr<void> kept,
             std::function<void(const Result<std::string>& path)> then) {
  ByteBudget& budget = world.connection.unanswered_bytes();
  budget.TakeAnyway(kAskedBytesMin);
  FindSubscription(world.requests, std::move(name),
                   [post = world.connection.poster(), &budget, kept = std::move(kept),
                    then = std::move(then)](const Result<std::string>& path) {
                     post([&budget, then, path] {
                       budget.GiveBack(kAskedBytesMin);
                       then(path);
                     });
                   });
}

}  // namespace wharf::amqp
