// What is asked about queues, topics and subscriptions themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/core/entities/queue_description.h"
#include "broker/core/entities/rule.h"
#include "broker/core/queue/lane.h"
#include "broker/requests/access_requests.h"
#include "broker/requests/entity_ref.h"

namespace wharf {

// A queue, a topic or a subscription as management shows it.
struct QueueSnapshot {
  EntityRecord record;
  LaneCounters main;
  LaneCounters dead_letter;
  // Of a topic.
  std::size_t subscriptions = 0;
  // As they count toward the quota; of a topic with all its copies (TOP-4).
  std::int64_t bytes = 0;
  // Why it is fenced; empty: it is in use.
  std::string fence{};
  // With their keys; only if they were asked for.
  std::vector<AccessRuleInfo> access_rules{};

  // Messages that are about to be forwarded (RTP-4).
  std::int64_t transfer_messages() const {
    return record.description.forward_to ? main.fresh + main.returned : 0;
  }
};
struct QueuePage {
  std::vector<QueueSnapshot> queues;
  bool has_more = false;
};

// The name of a subscription is its path, "topic/Subscriptions/name", here and below.
struct CreateEntityRequest {
  using Response = QueueSnapshot;
  EntityKind kind = EntityKind::kQueue;
  QueueDescription description{};
  // Of a subscription; absent: one that lets everything through (RUL-1).
  std::optional<RuleDescription> first_rule{};
  // Of a queue or topic.
  std::vector<GivenAccessRule> access_rules{};
  bool shows_access_rules = false;
};

// Waits until an entity takes no more messages: it was deleted, disabled for those who send, or
// fenced; the error says which. Without one the wait was cancelled.
struct AwaitClosedRequest {
  using Response = std::monostate;
  EntityRef entity{};
};

// Says what an entity shall be, from what it is when its turn comes; or why not. Called once, on a
// thread of the broker.
using EntityEdit = absl::AnyInvocable<Result<QueueDescription>(const EntityRecord& current) &&>;

struct UpdateEntityRequest {
  using Response = QueueSnapshot;
  EntityKind kind = EntityKind::kQueue;
  std::string name{};
  EntityEdit edit{};
  // All that it has from now on; absent: they stay. One that it has already takes the keys that are
  // named, but none that was replaced before: given back by who read it then, it would come to life
  // again (SEC-7).
  std::optional<std::vector<GivenAccessRule>> access_rules{};
  bool shows_access_rules = false;
};

struct GetEntityRequest {
  using Response = QueueSnapshot;
  // Absent: whatever it is.
  std::optional<EntityKind> kind = EntityKind::kQueue;
  std::string name{};
  bool shows_access_rules = false;
};

// Says of an entity, as it is when its turn comes, why it is not to be deleted. Called once, on a
// thread of the broker.
using EntityCheck = absl::AnyInvocable<Status(const EntityRecord& current) &&>;

struct DeleteEntityRequest {
  using Response = std::monostate;
  // Absent: whatever it is.
  std::optional<EntityKind> kind = EntityKind::kQueue;
  std::string name{};
  // Null: in any case.
  EntityCheck check{};
};

struct NamespaceInfo {
  // When its oldest rule of access was made; with none, the beginning of time.
  Timestamp created_at{};
};
// All that there is, as one.
struct GetNamespaceRequest {
  using Response = NamespaceInfo;
};

// Queues or topics, in the order of their folded names, behind `after`.
struct ListEntitiesRequest {
  using Response = QueuePage;
  EntityKind kind = EntityKind::kQueue;
  std::string after{};
  std::size_t count_max = 1;
  // So many of them are passed over.
  std::size_t skip = 0;
  bool shows_access_rules = false;
};

// The same for the subscriptions of a topic.
struct ListSubscriptionsRequest {
  using Response = QueuePage;
  std::string topic{};
  std::string after{};
  std::size_t count_max = 1;
  std::size_t skip = 0;
};

// Drops everything in a lane at one instant; how many messages that were (PRG-1).
struct PurgeRequest {
  using Response = std::int64_t;
  EntityRef entity{};
  bool with_scheduled = false;
};

}  // namespace wharf
