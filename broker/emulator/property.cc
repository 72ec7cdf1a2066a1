#include "broker/emulator/property.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "broker/doors/http/atom/xml_time.h"
#include "broker/emulator/object_reader.h"

namespace wharf::emulator {
namespace {

using D = QueueDescription;

constexpr bool kYes = true;
constexpr bool kNo = false;

// Of queues, of topics, of subscriptions; fixed.
constexpr Property kProperties[] = {
    {"LockDuration", kYes, kNo, kYes, kNo, &D::lock_duration},
    {"MaxDeliveryCount", kYes, kNo, kYes, kNo, &D::max_delivery_count},
    {"RequiresSession", kYes, kNo, kYes, kYes, &D::requires_session},
    {"RequiresDuplicateDetection", kYes, kYes, kNo, kYes, &D::requires_duplicate_detection},
    {"DuplicateDetectionHistoryTimeWindow", kYes, kYes, kNo, kNo,
     &D::duplicate_detection_history_time_window},
    {"DefaultMessageTimeToLive", kYes, kYes, kYes, kNo, &D::default_message_time_to_live},
    {"DeadLetteringOnMessageExpiration", kYes, kNo, kYes, kNo,
     &D::dead_lettering_on_message_expiration},
    {"DeadLetteringOnFilterEvaluationExceptions", kNo, kNo, kYes, kNo,
     &D::dead_lettering_on_filter_evaluation_exceptions},
    {"ForwardTo", kYes, kNo, kYes, kNo, &D::forward_to},
    {"ForwardDeadLetteredMessagesTo", kYes, kNo, kYes, kNo, &D::forward_dead_lettered_messages_to},
    {"AutoDeleteOnIdle", kYes, kYes, kYes, kNo, &D::auto_delete_on_idle},
    {"MaxSizeInMegabytes", kYes, kYes, kNo, kNo, &D::max_size_in_megabytes},
    {"MaxMessageSizeInKilobytes", kYes, kYes, kNo, kNo, &D::max_message_size_in_kilobytes},
    {"EnablePartitioning", kYes, kYes, kNo, kYes, &D::enable_partitioning},
    {"EnableBatchedOperations", kYes, kYes, kYes, kNo, &D::enable_batched_operations},
    {"Status", kYes, kYes, kYes, kNo, &D::status},
    {"UserMetadata", kYes, kYes, kYes, kNo, &D::user_metadata},
};

constexpr std::pair<std::string_view, EntityStatus> kStatuses[] = {
    {"Active", EntityStatus::kActive},
    {"Disabled", EntityStatus::kDisabled},
    {"SendDisabled", EntityStatus::kSendDisabled},
    {"ReceiveDisabled", EntityStatus::kReceiveDisabled},
};

Status Wrong(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

// Puts what the value means into a field of each type.
struct FieldReader {
  const JsonNode& value;
  QueueDescription& to;

  Status operator()(bool D::*field) const {
    if (value.kind != JsonNode::Kind::kTruth) return Wrong(Takes("true or false", value));
    to.*field = value.truth;
    return {};
  }
  template <typename Number>
  Status TakeNumber(Number D::*field) const {
    constexpr std::int64_t kLargest = std::numeric_limits<Number>::max();
    const bool fits = value.kind == JsonNode::Kind::kWhole && value.whole <= kLargest &&
                      value.whole >= std::numeric_limits<Number>::min();
    if (!fits) return Wrong(Takes("a whole number", value));
    to.*field = static_cast<Number>(value.whole);
    return {};
  }
  Status operator()(std::int32_t D::*field) const { return TakeNumber(field); }
  Status operator()(std::int64_t D::*field) const { return TakeNumber(field); }
  Status operator()(Duration D::*field) const {
    if (value.kind == JsonNode::Kind::kText) {
      const Result<Duration> span = atom::DurationFromXml({}, value.text);
      if (span.ok()) to.*field = *span;
      if (span.ok()) return {};
    }
    return Wrong(Takes("a span as ISO 8601 writes it, \"PT1M30S\" or \"P7D\"", value));
  }
  // An empty one is none.
  Status operator()(std::optional<std::string> D::*field) const {
    if (value.kind != JsonNode::Kind::kText) return Wrong(Takes("text", value));
    to.*field = value.text.empty() ? std::nullopt : std::optional(value.text);
    return {};
  }
  Status operator()(EntityStatus D::*field) const {
    std::vector<std::string> names;
    for (const auto& [name, status] : kStatuses) {
      names.emplace_back(name);
      if (value.kind != JsonNode::Kind::kText || value.text != name) continue;
      to.*field = status;
      return {};
    }
    return Wrong(TakesOneOf(names, value));
  }
};

}  // namespace

bool Property::is_of(EntityKind kind) const {
  switch (kind) {
    case EntityKind::kQueue:
      return is_of_queues;
    case EntityKind::kTopic:
      return is_of_topics;
    case EntityKind::kSubscription:
      return is_of_subscriptions;
  }
  return false;
}

void Property::Copy(const QueueDescription& from, QueueDescription& to) const {
  std::visit([&](auto member) { to.*member = from.*member; }, field);
}

bool Property::IsSame(const QueueDescription& one, const QueueDescription& other) const {
  return std::visit([&](auto member) { return one.*member == other.*member; }, field);
}

std::vector<std::string> PropertyNames(EntityKind kind) {
  std::vector<std::string> names;
  for (const Property& property : kProperties) {
    if (property.is_of(kind)) names.emplace_back(property.name);
  }
  return names;
}

const Property* FindProperty(EntityKind kind, std::string_view name) {
  const auto* const found = std::find_if(
      std::begin(kProperties), std::end(kProperties),
      [&](const Property& property) { return property.is_of(kind) && property.name == name; });
  return found == std::end(kProperties) ? nullptr : found;
}

// A value that would be wrong in any entity is found here, where its place is known.
Status ReadProperty(const Property& property, const JsonNode& value,
                    QueueDescription& description) {
  QueueDescription alone;
  WHARF_RETURN_IF_ERROR(std::visit(FieldReader{value, alone}, property.field));
  alone.name = "any";
  if (const Status wrong = CheckDescription(EntityKind::kQueue, alone); !wrong.ok()) {
    return Wrong(fmt::format("is {}: {}", ToSentence(value), wrong.message()));
  }
  property.Copy(alone, description);
  return {};
}

}  // namespace wharf::emulator
