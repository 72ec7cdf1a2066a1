// RestWords: what the load says and hears, in the words of Service Bus over HTTP: messages, locks,
// errors. Plain functions for any thread.
//
// Times come in whole seconds, rounded down (SeenMessage::rounding). A lock is named by its token,
// as a GUID; what stands before it in an address means nothing.
#pragma once

#include <string>
#include <vector>

#include "tools/crash/history/history.h"
#include "tools/crash/rest/rest_client.h"
#include "wharf/v1/message.pb.h"

namespace wharf::crash {

// `path`: of an entity, "orders/$DeadLetterQueue".
RestClient::Request SendOf(const std::string& path, const v1::Message& message);
// All of them or none.
RestClient::Request SendOf(const std::string& path, const std::vector<v1::Message>& messages);
RestClient::Request ReceiveOf(const std::string& path, Mode mode);

enum class LockVerb : std::uint8_t { kComplete, kUnlock, kRenew };
RestClient::Request UseOf(const std::string& path, const std::string& token, LockVerb verb);

// What was asked and answered so; whether a refusal left everything as it was is often not told.
enum class Asked : std::uint8_t { kSend, kReceive, kLock };
Status StatusOf(const RestClient::Answer& answer, Asked asked);

// What is written down of a message that came with this answer; an error if it is none.
Result<DeliveryRecord> DecodeDelivery(const RestClient::Answer& answer);
// Of a lock that was renewed.
Result<Timestamp> LockedUntilOf(const RestClient::Answer& answer);

}  // namespace wharf::crash
