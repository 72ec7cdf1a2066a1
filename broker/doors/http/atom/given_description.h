// GivenDescription: what a client says a queue, a topic or a subscription shall be:
// QueueDescription, TopicDescription or SubscriptionDescription.
//
// A plain value; read from XML by the door, made a description of ours when its turn comes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/entities/queue_description.h"
#include "broker/core/entities/rule.h"
#include "broker/doors/http/atom/xml_tree.h"
#include "broker/requests/access_requests.h"
#include "storage/base/status.h"

namespace wharf::atom {

// Longer ones can be had over gRPC (LCK-15).
inline constexpr Duration kLockDurationMax = std::chrono::minutes(5);

// "QueueDescription".
std::string_view ElementOf(EntityKind kind);

struct GivenDescription {
  // Without a name. What was not said has its default (EPR-30).
  QueueDescription description{};
  // What is fixed when an entity is made was said: an update that does not say it leaves it alone.
  bool says_duplicate_detection = false;
  bool says_session = false;
  bool says_partitioning = false;
  bool says_express = false;
  // Otherwise it is as partitions have it (EPR-20).
  bool says_ordering = false;
  // Absent: nothing was said of them.
  std::optional<std::vector<GivenAccessRule>> access_rules{};
  // Of a new subscription.
  std::optional<RuleDescription> first_rule{};
};

Result<GivenDescription> DescriptionFromXml(EntityKind kind, const XmlElement& element);

// What is made of it: with this name.
Result<QueueDescription> CreatedAs(std::string name, const GivenDescription& given);
// What an entity becomes by it. What XML cannot say stays as it is (ATM-2).
Result<QueueDescription> UpdatedTo(const QueueDescription& current, const GivenDescription& given);

}  // namespace wharf::atom
