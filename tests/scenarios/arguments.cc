#include "tests/scenarios/arguments.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::string_view kPropertyPrefix = "property.";
constexpr std::string_view kWholeNumber = ":int";

// Arguments of RuleOf, which a subscription may be created with.
bool IsOfRule(std::string_view name) {
  for (const std::string_view own : {"rule", "true", "false", "filter", "correlation", "action"}) {
    if (name == own) return true;
  }
  return name.starts_with(kPropertyPrefix);
}

std::int64_t IntegerOf(const std::string& text) {
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
    throw std::runtime_error(text + " is no number");
  }
  return number;
}

std::string TextOfDuration(Duration span) {
  if (span == kUnlimited) return "unlimited";
  return fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(span).count());
}

struct StatusName {
  std::string_view name;
  EntityStatus status;
};
constexpr StatusName kStatusNames[] = {{"active", EntityStatus::kActive},
                                       {"disabled", EntityStatus::kDisabled},
                                       {"send-disabled", EntityStatus::kSendDisabled},
                                       {"receive-disabled", EntityStatus::kReceiveDisabled}};

std::string TextOfStatus(EntityStatus status) {
  const auto* found = std::find_if(std::begin(kStatusNames), std::end(kStatusNames),
                                   [&](const StatusName& name) { return name.status == status; });
  return std::string(found->name);
}

EntityStatus StatusOf(const std::string& text) {
  const auto* found = std::find_if(std::begin(kStatusNames), std::end(kStatusNames),
                                   [&](const StatusName& name) { return name.name == text; });
  if (found == std::end(kStatusNames)) throw std::runtime_error(text + " is no status");
  return found->status;
}

QueueProperty OfDuration(std::string_view name, Duration QueueDescription::*field) {
  return {
      name, [=](const QueueDescription& queue) { return TextOfDuration(queue.*field); },
      [=](QueueDescription& queue, const std::string& text) { queue.*field = DurationOf(text); }};
}

template <typename Number>
QueueProperty OfNumber(std::string_view name, Number QueueDescription::*field) {
  return {name, [=](const QueueDescription& queue) { return fmt::format("{}", queue.*field); },
          [=](QueueDescription& queue, const std::string& text) {
            queue.*field = static_cast<Number>(IntegerOf(text));
          }};
}

QueueProperty OfFlag(std::string_view name, bool QueueDescription::*field) {
  return {name, [=](const QueueDescription& queue) { return queue.*field ? "true" : "false"; },
          [=](QueueDescription& queue, const std::string& text) {
            queue.*field = text.empty() || text == "true";
          }};
}

QueueProperty OfScope() {
  return {"session-expiry-scope",
          [](const QueueDescription& queue) {
            return queue.session_expiry_scope == SessionExpiryScope::kMessage ? "message"
                                                                              : "session";
          },
          [](QueueDescription& queue, const std::string& text) {
            queue.session_expiry_scope =
                text == "message" ? SessionExpiryScope::kMessage : SessionExpiryScope::kSession;
          }};
}

QueueProperty OfText(std::string_view name, std::optional<std::string> QueueDescription::*field) {
  return {name,
          [=](const QueueDescription& queue) { return (queue.*field).value_or(std::string()); },
          [=](QueueDescription& queue, const std::string& text) { queue.*field = text; }};
}

constexpr std::pair<std::string_view, Backoff> kBackoffNames[] = {
    {"fixed", Backoff::kFixed},
    {"linear", Backoff::kLinear},
    {"exponential", Backoff::kExponential}};

std::string TextOfRetry(const RetryPolicy& policy) {
  const auto* found = std::find_if(std::begin(kBackoffNames), std::end(kBackoffNames),
                                   [&](const auto& name) { return name.second == policy.backoff; });
  return fmt::format("{},{},{}", found->first, TextOfDuration(policy.base),
                     TextOfDuration(policy.cap));
}

RetryPolicy RetryOf(const std::string& text) {
  std::istringstream parts(text);
  std::string backoff;
  std::string base;
  std::string cap;
  std::getline(parts, backoff, ',');
  std::getline(parts, base, ',');
  std::getline(parts, cap, ',');
  const auto* found = std::find_if(std::begin(kBackoffNames), std::end(kBackoffNames),
                                   [&](const auto& name) { return name.first == backoff; });
  if (found == std::end(kBackoffNames)) throw std::runtime_error(backoff + " is no backoff");
  RetryPolicy policy{.backoff = found->second, .base = DurationOf(base)};
  if (!cap.empty()) policy.cap = DurationOf(cap);
  return policy;
}

}  // namespace

const std::vector<QueueProperty>& QueueProperties() {
  using Queue = QueueDescription;
  static const std::vector<QueueProperty> kProperties = {
      OfDuration("lock-duration", &Queue::lock_duration),
      OfNumber("max-size-in-megabytes", &Queue::max_size_in_megabytes),
      OfNumber("max-message-size-in-kilobytes", &Queue::max_message_size_in_kilobytes),
      OfFlag("requires-duplicate-detection", &Queue::requires_duplicate_detection),
      OfDuration("duplicate-detection-history-time-window",
                 &Queue::duplicate_detection_history_time_window),
      OfFlag("requires-session", &Queue::requires_session),
      OfScope(),
      OfDuration("default-message-time-to-live", &Queue::default_message_time_to_live),
      OfFlag("dead-lettering-on-message-expiration", &Queue::dead_lettering_on_message_expiration),
      OfFlag("dead-lettering-on-filter-evaluation-exceptions",
             &Queue::dead_lettering_on_filter_evaluation_exceptions),
      OfFlag("enable-filtering-messages-before-publishing",
             &Queue::enable_filtering_messages_before_publishing),
      OfNumber("max-delivery-count", &Queue::max_delivery_count),
      OfFlag("enable-batched-operations", &Queue::enable_batched_operations),
      {"status", [](const Queue& queue) { return TextOfStatus(queue.status); },
       [](Queue& queue, const std::string& text) { queue.status = StatusOf(text); }},
      OfText("forward-to", &Queue::forward_to),
      OfText("forward-dead-lettered-messages-to", &Queue::forward_dead_lettered_messages_to),
      OfDuration("auto-delete-on-idle", &Queue::auto_delete_on_idle),
      OfFlag("enable-partitioning", &Queue::enable_partitioning),
      OfFlag("enable-priority", &Queue::enable_priority),
      OfText("user-metadata", &Queue::user_metadata),
      OfFlag("support-ordering", &Queue::support_ordering),
      OfFlag("enable-express", &Queue::enable_express),
      // retry=exponential,1s,1h
      {"retry",
       [](const Queue& queue) {
         return queue.retry_policy ? TextOfRetry(*queue.retry_policy) : "";
       },
       [](Queue& queue, const std::string& text) { queue.retry_policy = RetryOf(text); }},
  };
  return kProperties;
}

const std::vector<MessageProperty>& MessageProperties() {
  static const std::vector<MessageProperty> kProperties = {
      {"message-id", &Message::message_id},
      {"correlation-id", &Message::correlation_id},
      {"content-type", &Message::content_type},
      {"subject", &Message::subject},
      {"to", &Message::to},
      {"reply-to", &Message::reply_to},
      {"reply-to-session-id", &Message::reply_to_session_id},
      {"session-id", &Message::session_id},
      {"partition-key", &Message::partition_key},
      {"via-partition-key", &Message::via_partition_key},
  };
  return kProperties;
}

Duration DurationOf(const std::string& text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == std::string::npos) throw std::runtime_error(text + " is no duration");
  const std::int64_t count = IntegerOf(text.substr(0, unit));
  const std::string name = text.substr(unit);
  if (name == "ms") return std::chrono::milliseconds(count);
  if (name == "s") return std::chrono::seconds(count);
  if (name == "m") return std::chrono::minutes(count);
  if (name == "h") return std::chrono::hours(count);
  throw std::runtime_error(name + " is no unit of time");
}

std::uint64_t NumberOf(const Command& command, const std::string& name, std::uint64_t otherwise) {
  const auto text = command.Find(name);
  return text ? static_cast<std::uint64_t>(IntegerOf(*text)) : otherwise;
}

QueueDescription DescriptionOf(const Command& command) {
  QueueDescription queue;
  queue.name = command.path;
  for (const auto& [name, value] : command.arguments) {
    if (IsOfRule(name)) continue;
    const auto property =
        std::find_if(QueueProperties().begin(), QueueProperties().end(),
                     [&name = name](const QueueProperty& known) { return known.name == name; });
    if (property == QueueProperties().end()) {
      throw std::runtime_error("a queue has no property " + name);
    }
    property->set(queue, value);
  }
  return queue;
}

Message MessageOf(const Command& command) {
  Message message;
  message.body = command.Find("body").value_or(
      std::string(static_cast<std::size_t>(NumberOf(command, "body-bytes", 0)), 'x'));
  for (const MessageProperty& property : MessageProperties()) {
    message.*property.field = command.Find(std::string(property.name));
  }
  message.application_properties = PropertiesOf(command);
  if (command.Find("priority")) {
    CarriedProperties carried;
    carried.priority = static_cast<std::uint32_t>(NumberOf(command, "priority", 0));
    message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
  }
  return message;
}

PropertyMap PropertiesOf(const Command& command) {
  PropertyMap properties;
  for (const auto& [name, value] : command.arguments) {
    if (!name.starts_with(kPropertyPrefix)) continue;
    const std::string_view key = std::string_view(name).substr(kPropertyPrefix.size());
    if (key.ends_with(kWholeNumber)) {
      properties.emplace_back(key.substr(0, key.size() - kWholeNumber.size()), IntegerOf(value));
    } else {
      properties.emplace_back(key, value);
    }
  }
  return properties;
}

RuleDescription RuleOf(const Command& command) {
  RuleDescription rule{.name = command.Find("rule").value_or("")};
  if (command.Has("false")) rule.filter = FalseFilter();
  if (const auto text = command.Find("filter")) rule.filter = SqlText{.text = *text};
  if (command.Has("correlation")) {
    const Message wanted = MessageOf(command);
    rule.filter = CorrelationFilter{.correlation_id = wanted.correlation_id,
                                    .message_id = wanted.message_id,
                                    .to = wanted.to,
                                    .reply_to = wanted.reply_to,
                                    .subject = wanted.subject,
                                    .session_id = wanted.session_id,
                                    .reply_to_session_id = wanted.reply_to_session_id,
                                    .content_type = wanted.content_type,
                                    .application_properties = wanted.application_properties};
  }
  if (const auto text = command.Find("action")) rule.action = SqlText{.text = *text};
  return rule;
}

ReceiveMode ModeOf(const Command& command) {
  const std::string mode = command.Find("mode").value_or("peek-lock");
  if (mode == "peek-lock") return ReceiveMode::kPeekLock;
  if (mode == "receive-and-delete") return ReceiveMode::kReceiveAndDelete;
  throw std::runtime_error(mode + " is no receive mode");
}

}  // namespace wharf
