#include "broker/doors/http/atom/entity_xml.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/doors/http/atom/given_description.h"
#include "broker/doors/http/atom/rule_xml.h"
#include "broker/doors/http/atom/target_uri.h"
#include "broker/doors/http/atom/xml_names.h"
#include "broker/doors/http/atom/xml_time.h"

namespace wharf::atom {
namespace {

std::string_view StatusText(EntityStatus status) {
  switch (status) {
    case EntityStatus::kActive:
      return "Active";
    case EntityStatus::kDisabled:
      return "Disabled";
    case EntityStatus::kSendDisabled:
      return "SendDisabled";
    case EntityStatus::kReceiveDisabled:
      return "ReceiveDisabled";
  }
  return "Unknown";
}

// Writes one entity; each function a run of elements in the order that clients of Service Bus know.
class EntityWriter {
 public:
  EntityWriter(const QueueSnapshot& entity, const Site& site, XmlWriter& writer)
      : entity_(entity), queue_(entity.record.description), site_(site), xml_(writer) {}

  void Queue() {
    Span("LockDuration", queue_.lock_duration);
    Number("MaxSizeInMegabytes", queue_.max_size_in_megabytes);
    xml_.Flag("RequiresDuplicateDetection", queue_.requires_duplicate_detection);
    xml_.Flag("RequiresSession", queue_.requires_session);
    Span("DefaultMessageTimeToLive", queue_.default_message_time_to_live);
    xml_.Flag("DeadLetteringOnMessageExpiration", queue_.dead_lettering_on_message_expiration);
    Span("DuplicateDetectionHistoryTimeWindow", queue_.duplicate_detection_history_time_window);
    Number("MaxDeliveryCount", queue_.max_delivery_count);
    xml_.Flag("EnableBatchedOperations", queue_.enable_batched_operations);
    Number("SizeInBytes", entity_.bytes);
    Number("MessageCount", total());
    xml_.Flag("IsAnonymousAccessible", false);
    AccessRules();
    xml_.Leaf("Status", StatusText(queue_.status));
    Target("ForwardTo", queue_.forward_to);
    Metadata();
    Times();
    xml_.Flag("SupportOrdering", queue_.support_ordering);
    Counts();
    Span("AutoDeleteOnIdle", queue_.auto_delete_on_idle);
    xml_.Flag("EnablePartitioning", queue_.enable_partitioning);
    xml_.Leaf("EntityAvailabilityStatus", "Available");
    Target("ForwardDeadLetteredMessagesTo", queue_.forward_dead_lettered_messages_to);
    xml_.Flag("EnableExpress", queue_.enable_express);
    Number("MaxMessageSizeInKilobytes", queue_.max_message_size_in_kilobytes);
  }

  void Topic() {
    Span("DefaultMessageTimeToLive", queue_.default_message_time_to_live);
    Number("MaxSizeInMegabytes", queue_.max_size_in_megabytes);
    xml_.Flag("RequiresDuplicateDetection", queue_.requires_duplicate_detection);
    Span("DuplicateDetectionHistoryTimeWindow", queue_.duplicate_detection_history_time_window);
    xml_.Flag("EnableBatchedOperations", queue_.enable_batched_operations);
    Number("SizeInBytes", entity_.bytes);
    xml_.Flag("FilteringMessagesBeforePublishing",
              queue_.enable_filtering_messages_before_publishing);
    xml_.Flag("IsAnonymousAccessible", false);
    AccessRules();
    xml_.Leaf("Status", StatusText(queue_.status));
    Metadata();
    Times();
    xml_.Flag("SupportOrdering", queue_.support_ordering);
    Counts();
    Number("SubscriptionCount", static_cast<std::int64_t>(entity_.subscriptions));
    Span("AutoDeleteOnIdle", queue_.auto_delete_on_idle);
    xml_.Flag("EnablePartitioning", queue_.enable_partitioning);
    xml_.Leaf("EntityAvailabilityStatus", "Available");
    xml_.Flag("EnableSubscriptionPartitioning", false);
    xml_.Flag("EnableExpress", queue_.enable_express);
    Number("MaxMessageSizeInKilobytes", queue_.max_message_size_in_kilobytes);
  }

  void Subscription() {
    Span("LockDuration", queue_.lock_duration);
    xml_.Flag("RequiresSession", queue_.requires_session);
    Span("DefaultMessageTimeToLive", queue_.default_message_time_to_live);
    xml_.Flag("DeadLetteringOnMessageExpiration", queue_.dead_lettering_on_message_expiration);
    xml_.Flag("DeadLetteringOnFilterEvaluationExceptions",
              queue_.dead_lettering_on_filter_evaluation_exceptions);
    Number("MessageCount", total());
    Number("MaxDeliveryCount", queue_.max_delivery_count);
    xml_.Flag("EnableBatchedOperations", queue_.enable_batched_operations);
    xml_.Leaf("Status", StatusText(queue_.status));
    Target("ForwardTo", queue_.forward_to);
    Times();
    Metadata();
    Counts();
    Target("ForwardDeadLetteredMessagesTo", queue_.forward_dead_lettered_messages_to);
    Span("AutoDeleteOnIdle", queue_.auto_delete_on_idle);
    xml_.Leaf("EntityAvailabilityStatus", "Available");
  }

 private:
  // What waits in a topic is scheduled; it has no active messages (RTP-1).
  std::int64_t active() const {
    return entity_.record.kind == EntityKind::kTopic
               ? 0
               : entity_.main.messages() - entity_.transfer_messages();
  }
  std::int64_t total() const {
    return active() + entity_.transfer_messages() + entity_.main.scheduled +
           entity_.dead_letter.messages();
  }

  void Span(std::string_view name, Duration span) { xml_.Leaf(name, DurationToXml(span)); }
  void Number(std::string_view name, std::int64_t number) {
    xml_.Leaf(name, std::to_string(number));
  }
  void Target(std::string_view name, const std::optional<std::string>& target) {
    if (target) xml_.Leaf(name, UriOfEntity(site_.host(), *target));
  }
  // An empty element would read as an empty text, which is another one than none.
  void Metadata() {
    if (queue_.user_metadata && !queue_.user_metadata->empty()) {
      xml_.Leaf("UserMetadata", *queue_.user_metadata);
    }
  }
  void Times() {
    xml_.Leaf("CreatedAt", TimeToXml(entity_.record.created_at));
    xml_.Leaf("UpdatedAt", TimeToXml(entity_.record.updated_at));
    xml_.Leaf("AccessedAt", TimeToXml(entity_.main.accessed_at));
  }

  void Counts() {
    xml_.Open("CountDetails", {{"xmlns:d2p1", kCountsSpace}});
    Number("d2p1:ActiveMessageCount", active());
    Number("d2p1:DeadLetterMessageCount", entity_.dead_letter.messages());
    Number("d2p1:ScheduledMessageCount", entity_.main.scheduled);
    Number("d2p1:TransferMessageCount", entity_.transfer_messages());
    Number("d2p1:TransferDeadLetterMessageCount", 0);
    xml_.Close();
  }

  void AccessRules() {
    if (entity_.access_rules.empty()) return;
    xml_.Open("AuthorizationRules");
    for (const AccessRuleInfo& rule : entity_.access_rules) AccessRule(rule);
    xml_.Close();
  }

  void AccessRule(const AccessRuleInfo& rule) {
    xml_.Open("AuthorizationRule", {{"i:type", "SharedAccessAuthorizationRule"}});
    xml_.Leaf("ClaimType", "SharedAccessKey");
    xml_.Leaf("ClaimValue", "None");
    xml_.Open("Rights");
    for (const access::Right right :
         {access::Right::kManage, access::Right::kSend, access::Right::kListen}) {
      if (rule.rights.Has(right)) xml_.Leaf("AccessRights", access::NameOf(right));
    }
    xml_.Close();
    xml_.Leaf("CreatedTime", TimeToXml(rule.created_at));
    xml_.Leaf("ModifiedTime", TimeToXml(rule.created_at));
    xml_.Leaf("KeyName", rule.name);
    if (rule.keys) {
      xml_.Leaf("PrimaryKey", rule.keys->primary);
      xml_.Leaf("SecondaryKey", rule.keys->secondary);
    }
    xml_.Close();
  }

  const QueueSnapshot& entity_;
  const QueueDescription& queue_;
  const Site& site_;
  XmlWriter& xml_;
};

std::string EtagOfText(const std::string& text) {
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return fmt::format("\"{}\"", boost::uuids::to_string(generator(text)));
}

}  // namespace

void EntityToXml(const QueueSnapshot& entity, const Site& site, XmlWriter& writer) {
  EntityWriter entity_writer(entity, site, writer);
  writer.Open(ElementOf(entity.record.kind),
              {{"xmlns", kServiceBusSpace}, {"xmlns:i", kInstanceSpace}});
  switch (entity.record.kind) {
    case EntityKind::kQueue:
      entity_writer.Queue();
      break;
    case EntityKind::kTopic:
      entity_writer.Topic();
      break;
    case EntityKind::kSubscription:
      entity_writer.Subscription();
      break;
  }
  writer.Elements(entity.record.description.unknown_elements);
  writer.Close();
}

// Another time of the last change makes another one, also where that changed nothing; and so does
// what XML has no word for.
std::string EtagOf(const EntityRecord& record) {
  XmlWriter writer;
  EntityToXml({.record = record, .main = {}, .dead_letter = {}}, Site(), writer);
  return EtagOfText(fmt::format("{}/{}", record.id.value(), writer.Take()));
}

std::string EtagOf(const RuleDescription& rule) {
  XmlWriter writer;
  RuleToXml(rule, writer);
  return EtagOfText(writer.Take());
}

}  // namespace wharf::atom
