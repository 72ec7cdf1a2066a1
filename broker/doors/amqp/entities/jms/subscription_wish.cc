#include "broker/doors/amqp/entities/jms/subscription_wish.h"

#include <utility>

#include "broker/core/entities/names.h"
#include "broker/doors/amqp/jms/selector.h"
#include "broker/doors/amqp/jms/source_filters.h"
#include "broker/doors/amqp/jms/subscription_name.h"
#include "broker/doors/amqp/jms/words.h"

namespace wharf::amqp {
namespace {

// Of a shared one, none if it is global; of any other one that of its connection.
std::string ClientIdOf(bool is_global, const std::string& container_id) {
  return is_global ? std::string() : container_id;
}

Result<RuleFilter> FilterOf(const Source& source) {
  const Result<jms::SourceFilters> filters = jms::FiltersOf(source);
  if (!filters.ok()) return filters.status();
  if (!filters->others.entries.empty()) {
    return Status(ErrorCode::kNotImplemented,
                  "of filters of a JMS consumer its selector and no-local are known only");
  }
  Result<std::string> text = jms::FilterTextOf(filters->selector.value_or(""));
  if (!text.ok()) return text.status();
  if (text->empty()) return RuleFilter(TrueFilter());
  return RuleFilter(SqlText{.text = *std::move(text)});
}

}  // namespace

bool WantsTopic(const Attach& attach) {
  return attach.source.has_value() && (jms::Has(attach.source->capabilities, jms::kTopic) ||
                                       jms::Has(attach.source->capabilities, jms::kTemporaryTopic));
}

bool WantsQueue(const Attach& attach) {
  return attach.source.has_value() && (jms::Has(attach.source->capabilities, jms::kQueue) ||
                                       jms::Has(attach.source->capabilities, jms::kTemporaryQueue));
}

bool WantsToBrowse(const Attach& attach) {
  return attach.source.has_value() && attach.source->distribution_mode.has_value() &&
         attach.source->distribution_mode->text == std_dist_mode::kCopy;
}

Result<SubscriptionWish> SubscriptionOf(const LinkNode& node, const Attach& attach,
                                        const std::string& container_id,
                                        const std::string& unique) {
  const Source& source = *attach.source;
  SubscriptionWish wish{.topic = node.path};
  Result<RuleFilter> filter = FilterOf(source);
  if (!filter.ok()) return filter.status();
  wish.filter = *std::move(filter);
  wish.is_durable = source.durable != TerminusDurability::kNone;
  wish.is_shared = jms::Has(source.capabilities, jms::kShared);
  if (attach.snd_settle_mode == SenderSettleMode::kSettled) {
    wish.mode = ReceiveMode::kReceiveAndDelete;
  }
  jms::SubscriptionName name{.name = unique, .is_durable = wish.is_durable};
  if (wish.is_shared || wish.is_durable) {
    const bool is_global = wish.is_shared && jms::Has(source.capabilities, jms::kGlobal);
    name.name = wish.is_shared ? std::string(jms::NameInLink(attach.name)) : attach.name;
    name.client_id = ClientIdOf(is_global, container_id);
  }
  Result<std::string> stored = jms::StoredNameOf(name);
  if (!stored.ok()) return stored.status();
  wish.stored_name = *std::move(stored);
  wish.path = SubscriptionPath(wish.topic, wish.stored_name);
  return wish;
}

Result<std::string> UnsubscribedName(const Attach& attach, const std::string& container_id) {
  const bool is_global = jms::Has(attach.desired_capabilities, jms::kGlobal);
  return jms::StoredNameOf({.name = std::string(jms::NameInLink(attach.name)),
                            .client_id = ClientIdOf(is_global, container_id),
                            .is_durable = true});
}

}  // namespace wharf::amqp
