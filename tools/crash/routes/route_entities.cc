#include "tools/crash/routes/route_entities.h"

#include "tools/crash/clients/wire.h"

namespace wharf::crash {
namespace {

// A message may be in flight at every kill.
constexpr int kDeliveryCountMax = 1'000'000;

v1::QueueProperties Queue(Place place, bool forwards) {
  v1::QueueProperties queue;
  queue.set_name(NameOf(place));
  SetDuration(kRouteLock, queue.mutable_lock_duration());
  queue.set_max_delivery_count(kDeliveryCountMax);
  if (forwards) queue.set_forward_to(NameOf(Place::kEnd));
  return queue;
}

v1::SubscriptionProperties Subscription(Place place, bool forwards) {
  v1::SubscriptionProperties subscription;
  subscription.set_topic(kTopic);
  subscription.set_name(NameOf(place));
  SetDuration(kRouteLock, subscription.mutable_lock_duration());
  subscription.set_max_delivery_count(kDeliveryCountMax);
  if (forwards) subscription.set_forward_to(NameOf(Place::kRelay));
  return subscription;
}

Status MakeSubscription(client::Client& client, Place place) {
  v1::CreateSubscriptionRequest request;
  *request.mutable_subscription() = Subscription(place, Forwards(place));
  v1::Rule& rule = *request.mutable_default_rule();
  if (place == Place::kRed) rule.mutable_correlation_filter()->set_subject("red");
  if (place == Place::kLarge) rule.mutable_sql_filter()->set_text("size >= 1000");
  return client.topics().CreateSubscription(request).status();
}

}  // namespace

// What is forwarded to must be there first.
Status MakeEntities(client::Client& client) {
  v1::TopicProperties topic;
  topic.set_name(kTopic);
  WHARF_RETURN_IF_ERROR(client.topics().CreateTopic(topic).status());
  for (const Place place : {Place::kEnd, Place::kRelay, Place::kFrom, Place::kTo}) {
    WHARF_RETURN_IF_ERROR(client.management().CreateQueue(Queue(place, Forwards(place))).status());
  }
  for (const Place place : kPlaces) {
    if (IsSubscription(place)) WHARF_RETURN_IF_ERROR(MakeSubscription(client, place));
  }
  return {};
}

bool Forwards(Place place) { return place == Place::kOnward || place == Place::kRelay; }

Status SetForwarding(client::Client& client, Place place, bool is_on) {
  if (IsSubscription(place)) {
    v1::UpdateSubscriptionRequest request;
    request.set_entity_path(PathOf(place));
    *request.mutable_subscription() = Subscription(place, is_on);
    return client.topics().UpdateSubscription(request).status();
  }
  return client.management().ReplaceQueue(Queue(place, is_on)).status();
}

}  // namespace wharf::crash
