// MessageOf: a message of AMQP as the broker's.
//
// The fields that the broker reads are told in its own words; how they were written beyond that is
// kept in the message's AmqpForm, so that EncodeMessage (outgoing.h) gives the same bytes. Delivery
// annotations belong to one hop and are dropped. On the thread of the connection.
#pragma once

#include "broker/core/messages/message.h"
#include "broker/doors/amqp/message/sections.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// An error says which section has what in it that has no place there. If the body is still on its
// way (SplitHead) the message has none, and its kind is that of one data section. Limits on sizes
// are the broker's (CheckMessage).
Result<wharf::Message> MessageOf(const Sections& sections, const DecodeLimits& limits);

// A message without an id gets one: a GUID, as SDKs fill in themselves that do (PRP-1).
void GiveId(wharf::Message& message, Random& random);

}  // namespace wharf::amqp
