// Wire: what travels, and what the history writes down of it. Plain functions for any thread.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/history.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::crash {

// Whether the broker is dead, or about to stop, or nobody leads it: nothing more can be had from
// it.
bool IsGone(const Status& status);

// What is written down of a message that was received or peeked.
SeenMessage Seen(const v1::ReceivedMessage& received);
DeliveryRecord Delivery(const Source& source, Mode mode, std::uint32_t receiver,
                        const v1::ReceivedMessage& received);

// What one settlement asks for.
struct Settling {
  Verb verb = Verb::kComplete;
  // Abandon and dead-letter: the application property to set; 0 for none.
  std::int64_t mark = 0;
  // Abandon: how long the message shall rest.
  Duration delay{};
};
v1::Settlement MakeSettlement(const Settling& settling, const std::vector<std::string>& tokens);

// "orders" or "orders/$DeadLetterQueue".
std::string PathOf(const QueueRecord& queue, Lane lane);

Timestamp ToTimestamp(const google::protobuf::Timestamp& proto);
Duration ToDuration(const google::protobuf::Duration& proto);
void SetTimestamp(Timestamp time, google::protobuf::Timestamp* proto);
void SetDuration(Duration span, google::protobuf::Duration* proto);

}  // namespace wharf::crash
