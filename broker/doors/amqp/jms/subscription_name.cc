#include "broker/doors/amqp/jms/subscription_name.h"

#include <fmt/format.h>

#include "broker/core/entities/names.h"

namespace wharf::amqp::jms {
namespace {

constexpr std::string_view kDurableEnd = "$D";
constexpr std::string_view kNonDurableEnd = "$ND";

// The path of any topic: what is wrong with the name is told by who knows what names may be.
Status CheckStored(const std::string& stored) {
  return CheckSubscriptionPath(SubscriptionPath("t", stored)).status();
}

Status CheckPart(std::string_view what, const std::string& part) {
  if (part.find('$') == std::string::npos && CheckStored(part).ok()) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("the {} {} cannot stand in the name of a subscription: it is at most 50 "
                      "letters, digits, '.', '-' and '_', with a letter or digit at both ends",
                      what, Quoted(part))};
}

}  // namespace

Result<std::string> StoredNameOf(const SubscriptionName& subscription) {
  WHARF_RETURN_IF_ERROR(CheckPart("subscription", subscription.name));
  if (!subscription.client_id.empty()) {
    WHARF_RETURN_IF_ERROR(CheckPart("client id", subscription.client_id));
  }
  std::string stored = fmt::format("{}${}{}", subscription.name, subscription.client_id,
                                   subscription.is_durable ? kDurableEnd : kNonDurableEnd);
  WHARF_RETURN_IF_ERROR(CheckStored(stored));
  return stored;
}

Status SpelledOtherwise(std::string_view wanted, std::string_view there) {
  return {ErrorCode::kInvalidOperation,
          fmt::format("there is a subscription {}, and {} differs from it in upper and lower case "
                      "only: take another client id or another name",
                      Quoted(there), Quoted(wanted))};
}

std::string_view NameInLink(std::string_view link) { return link.substr(0, link.find('|')); }

bool IsOfNonDurable(std::string_view stored) { return stored.ends_with(kNonDurableEnd); }

}  // namespace wharf::amqp::jms
