// JmsWorld: what links of JMS have beside what all links have (LinkWorld), and what they make on
// the way. Used by the links of this room that only JMS has.
#pragma once

#include <memory>
#include <string_view>

#include "broker/doors/amqp/entities/jms/roster.h"

namespace wharf::amqp {

struct JmsWorld {
  std::shared_ptr<Roster> roster;
  // While it lives there is a broker.
  std::shared_ptr<void> stay;
};

// The user metadata of what goes with its users: by that and by its name the JmsSweep knows it.
inline constexpr std::string_view kGoesWithItsUsers = "wharf: goes with its JMS consumers";
// Before the names of temporary queues and topics.
inline constexpr std::string_view kTemporaryPrefix = "jms/temporary/";

}  // namespace wharf::amqp
