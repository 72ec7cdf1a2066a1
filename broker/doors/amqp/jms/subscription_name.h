// SubscriptionName: what a subscription of JMS is called where all subscriptions are: by its own
// name, the client id and whether it is durable (JMS-1): `NAME$CLIENT$D`, `NAME$CLIENT$ND`.
//
// Pure functions; used by whoever serves JMS consumers, and by the sweep that looks for what they
// left.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::amqp::jms {

struct SubscriptionName {
  std::string name{};
  // Empty: of no client.
  std::string client_id{};
  bool is_durable = false;
};

// Without the path of its topic. An error if it cannot be one: it says which part is wrong.
Result<std::string> StoredNameOf(const SubscriptionName& subscription);

// Paths are looked up without regard to case, and client ids and names of JMS have it (JMS-2): of
// two stored names that differ in nothing else, the second one is refused.
Status SpelledOtherwise(std::string_view wanted, std::string_view there);

// What a link is called that is of a shared subscription: `NAME`, and behind a bar what tells links
// of one name apart: `NAME|global`, `NAME|2`, `NAME|volatile1`.
std::string_view NameInLink(std::string_view link);

// Whether a stored name is that of one that goes with its consumers.
bool IsOfNonDurable(std::string_view stored);

}  // namespace wharf::amqp::jms
