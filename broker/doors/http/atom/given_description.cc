#include "broker/doors/http/atom/given_description.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/core.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/rule_xml.h"
#include "broker/doors/http/atom/target_uri.h"
#include "broker/doors/http/atom/unknown_elements.h"
#include "broker/doors/http/atom/xml_time.h"

namespace wharf::atom {
namespace {

// Reads the fields of an element one after another, and remembers the first that is wrong.
class Fields {
 public:
  explicit Fields(const XmlElement& element) : element_(element) {}

  const Status& wrong() const { return wrong_; }
  void Refuse(const Status& status) {
    if (wrong_.ok()) wrong_ = status;
  }
  const XmlElement* Find(const char* name) const { return element_.Find(name); }

  // Each of these leaves alone what is not said, and tells whether it was.
  bool Flag(const char* name, bool& value) {
    return Scalar(name, [&](std::string_view text) {
      // Programs that print their own write True.
      const std::string lower = absl::AsciiStrToLower({text.data(), text.size()});
      const bool is_true = lower == "true" || lower == "1";
      if (!is_true && lower != "false" && lower != "0")
        Refuse(BadValue(name, "is not true or false"));
      value = is_true;
    });
  }
  template <typename Number>
  bool Integer(const char* name, Number& value) {
    return Scalar(name, [&](std::string_view text) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error == std::errc::result_out_of_range) return Refuse(OutOfRange(name, "is too large"));
      if (error != std::errc() || end != text.data() + text.size()) {
        Refuse(BadValue(name, "is no whole number"));
      }
    });
  }
  bool Span(const char* name, Duration& value) {
    return Scalar(name, [&](std::string_view text) {
      const Result<Duration> span = DurationFromXml(name, text);
      span.ok() ? value = *span : (Refuse(span.status()), value);
    });
  }
  bool Text(const char* name, std::optional<std::string>& value) {
    const XmlElement* const field = element_.Find(name);
    if (field != nullptr && !field->text.empty()) value = field->text;
    return field != nullptr;
  }
  // What this broker cannot do and therefore must not promise.
  void RefuseTrue(const char* name) {
    bool value = false;
    Flag(name, value);
    if (value) Refuse(BadValue(name, "cannot be true here"));
  }

 private:
  // An empty one says nothing.
  template <typename Read>
  bool Scalar(const char* name, Read read) {
    const XmlElement* const field = element_.Find(name);
    if (field == nullptr) return false;
    const std::string_view text = Trimmed(field->text);
    if (!text.empty()) read(text);
    return !text.empty();
  }

  const XmlElement& element_;
  Status wrong_;
};

// --- fields of several kinds

void ReadStatus(Fields& fields, EntityStatus& status) {
  std::optional<std::string> text;
  if (!fields.Text("Status", text) || !text) return;
  const std::string_view name = Trimmed(*text);
  if (name == "Active") {
    status = EntityStatus::kActive;
  } else if (name == "Disabled") {
    status = EntityStatus::kDisabled;
  } else if (name == "SendDisabled") {
    status = EntityStatus::kSendDisabled;
  } else if (name == "ReceiveDisabled") {
    status = EntityStatus::kReceiveDisabled;
  } else {
    fields.Refuse(
        BadValue("Status", "is none of Active, Disabled, SendDisabled and ReceiveDisabled"));
  }
}

void ReadForwarding(Fields& fields, QueueDescription& queue) {
  for (const auto& [name, target] :
       {std::pair("ForwardTo", &queue.forward_to),
        std::pair("ForwardDeadLetteredMessagesTo", &queue.forward_dead_lettered_messages_to)}) {
    std::optional<std::string> text;
    if (!fields.Text(name, text) || !text) continue;
    *target = EntityOfUri(*text);
    if ((*target)->empty()) fields.Refuse(BadValue(name, "names no entity"));
  }
}

access::Rights ReadRights(const XmlElement& rule, Fields& fields) {
  access::Rights rights;
  const XmlElement* const list = rule.Find("Rights");
  if (list == nullptr) return rights;
  for (const XmlElement& each : list->children) {
    const std::string_view name = Trimmed(each.text);
    bool is_known = false;
    for (const access::Right right : access::kAllRights) {
      if (name != access::NameOf(right)) continue;
      rights = rights | right;
      is_known = true;
    }
    if (!is_known) {
      fields.Refuse(BadValue("AccessRights", "is none of Manage, Send and Listen"));
    }
  }
  return rights;
}

void ReadAccessRules(Fields& fields, std::optional<std::vector<GivenAccessRule>>& rules) {
  const XmlElement* const list = fields.Find("AuthorizationRules");
  if (list == nullptr) return;
  rules.emplace();
  for (const XmlElement& each : list->children) {
    if (each.name.name != "AuthorizationRule") continue;
    fields.Refuse(CheckSaidOnce(each));
    GivenAccessRule& rule = rules->emplace_back();
    const auto text = [&each](const char* name) {
      const XmlElement* const field = each.Find(name);
      return field == nullptr ? std::string() : std::string(Trimmed(field->text));
    };
    rule.name = text("KeyName");
    rule.primary_key = text("PrimaryKey");
    rule.secondary_key = text("SecondaryKey");
    rule.rights = ReadRights(each, fields);
  }
}

void ReadReceiving(Fields& fields, GivenDescription& given) {
  QueueDescription& queue = given.description;
  fields.Span("LockDuration", queue.lock_duration);
  given.says_session = fields.Flag("RequiresSession", queue.requires_session);
  fields.Flag("DeadLetteringOnMessageExpiration", queue.dead_lettering_on_message_expiration);
  fields.Integer("MaxDeliveryCount", queue.max_delivery_count);
  ReadForwarding(fields, queue);
}

void ReadSending(Fields& fields, GivenDescription& given) {
  QueueDescription& queue = given.description;
  fields.Integer("MaxSizeInMegabytes", queue.max_size_in_megabytes);
  fields.Integer("MaxMessageSizeInKilobytes", queue.max_message_size_in_kilobytes);
  given.says_duplicate_detection =
      fields.Flag("RequiresDuplicateDetection", queue.requires_duplicate_detection);
  fields.Span("DuplicateDetectionHistoryTimeWindow", queue.duplicate_detection_history_time_window);
  given.says_ordering = fields.Flag("SupportOrdering", queue.support_ordering);
  given.says_partitioning = fields.Flag("EnablePartitioning", queue.enable_partitioning);
  given.says_express = fields.Flag("EnableExpress", queue.enable_express);
  fields.RefuseTrue("IsAnonymousAccessible");
  ReadAccessRules(fields, given.access_rules);
}

void ReadFirstRule(Fields& fields, std::optional<RuleDescription>& rule) {
  const XmlElement* const element = fields.Find("DefaultRuleDescription");
  if (element == nullptr) return;
  Result<RuleDescription> read = RuleFromXml(*element);
  if (!read.ok()) return fields.Refuse(read.status());
  rule = *std::move(read);
}

// A span that XML cannot tell from "never" stays what it is.
void KeepSpan(Duration current, Duration& wanted) {
  if (DurationToXml(current) == DurationToXml(wanted)) wanted = current;
}

Status CheckLock(Duration lock_duration) {
  if (lock_duration <= kLockDurationMax) return {};
  return OutOfRange("LockDuration", "is longer than 5 minutes");
}

}  // namespace

std::string_view ElementOf(EntityKind kind) {
  switch (kind) {
    case EntityKind::kQueue:
      return "QueueDescription";
    case EntityKind::kTopic:
      return "TopicDescription";
    case EntityKind::kSubscription:
      return "SubscriptionDescription";
  }
  return {};
}

Result<GivenDescription> DescriptionFromXml(EntityKind kind, const XmlElement& element) {
  GivenDescription given;
  QueueDescription& queue = given.description;
  Fields fields(element);
  fields.Span("DefaultMessageTimeToLive", queue.default_message_time_to_live);
  fields.Flag("EnableBatchedOperations", queue.enable_batched_operations);
  fields.Span("AutoDeleteOnIdle", queue.auto_delete_on_idle);
  fields.Text("UserMetadata", queue.user_metadata);
  ReadStatus(fields, queue.status);
  if (kind != EntityKind::kTopic) ReadReceiving(fields, given);
  if (kind != EntityKind::kSubscription) ReadSending(fields, given);
  if (kind == EntityKind::kTopic) {
    fields.Flag("FilteringMessagesBeforePublishing",
                queue.enable_filtering_messages_before_publishing);
    fields.RefuseTrue("EnableSubscriptionPartitioning");
  }
  if (kind == EntityKind::kSubscription) {
    fields.Flag("DeadLetteringOnFilterEvaluationExceptions",
                queue.dead_lettering_on_filter_evaluation_exceptions);
    ReadFirstRule(fields, given.first_rule);
  }
  if (!fields.wrong().ok()) return fields.wrong();
  WHARF_RETURN_IF_ERROR(CheckSaidOnce(element, IsKnownElement));
  Result<std::string> unknown = UnknownElements(element);
  if (!unknown.ok()) return unknown.status();
  queue.unknown_elements = *std::move(unknown);
  return given;
}

Result<QueueDescription> CreatedAs(std::string name, const GivenDescription& given) {
  QueueDescription wanted = given.description;
  wanted.name = std::move(name);
  if (!given.says_ordering) wanted.support_ordering = !wanted.enable_partitioning;
  WHARF_RETURN_IF_ERROR(CheckLock(wanted.lock_duration));
  return wanted;
}

Result<QueueDescription> UpdatedTo(const QueueDescription& current, const GivenDescription& given) {
  QueueDescription wanted = given.description;
  wanted.name = current.name;
  if (wanted.lock_duration != current.lock_duration) {
    WHARF_RETURN_IF_ERROR(CheckLock(wanted.lock_duration));
  }
  KeepSpan(current.default_message_time_to_live, wanted.default_message_time_to_live);
  KeepSpan(current.auto_delete_on_idle, wanted.auto_delete_on_idle);
  if (!given.says_duplicate_detection) {
    wanted.requires_duplicate_detection = current.requires_duplicate_detection;
  }
  if (!given.says_session) wanted.requires_session = current.requires_session;
  if (!given.says_partitioning) wanted.enable_partitioning = current.enable_partitioning;
  if (!given.says_express) wanted.enable_express = current.enable_express;
  if (!given.says_ordering) wanted.support_ordering = !wanted.enable_partitioning;
  // It has no words for these.
  wanted.session_expiry_scope = current.session_expiry_scope;
  wanted.enable_priority = current.enable_priority;
  wanted.retry_policy = current.retry_policy;
  wanted.event_log_size_in_kilobytes = current.event_log_size_in_kilobytes;
  wanted.event_log_retention = current.event_log_retention;
  return wanted;
}

}  // namespace wharf::atom
