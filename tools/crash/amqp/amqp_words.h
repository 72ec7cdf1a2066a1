// AmqpWords: what the load says and hears, in the words of AMQP: messages, outcomes, errors,
// requests to `$management`. Plain functions for any thread.
//
// Times come in whole milliseconds, rounded down (Millisecond in history.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"
#include "tools/crash/clients/wire.h"
#include "tools/crash/history/history.h"
#include "wharf/v1/message.pb.h"

namespace wharf::crash {

// --- messages

std::string EncodeMessage(const v1::Message& message);
std::string EncodeBatch(const std::vector<v1::Message>& messages);
// What is written down of a message that came with this tag; an error if it is none.
Result<DeliveryRecord> DecodeDelivery(std::string_view message, std::string_view tag);
// The tag has the token as .NET orders the bytes of a GUID.
std::string TokenOf(std::string_view tag);

// --- links

amqp::Attach SenderTo(const std::string& address);
amqp::Attach ReceiverFrom(const std::string& address, Mode mode);
// Of this session, or of the next one.
amqp::Attach SessionReceiverFrom(const std::string& address,
                                 const std::optional<std::string>& session, Duration wait);
amqp::Attach ControlLink();
// Of an answer to a link that wants a session: which it got, and until when.
struct GotSession {
  std::string session;
  Timestamp until;
};
std::optional<GotSession> SessionOf(const amqp::Attach& answer);

// --- outcomes

amqp::DeliveryState OutcomeOf(const Settling& settling, Timestamp now);
amqp::DeliveryState InTransaction(const std::string& id,
                                  std::optional<amqp::Outcome> outcome = std::nullopt);
// Of a delivery that was answered so; an error if the broker did not want it.
Result<amqp::DeliveryState> AnswerOf(const amqp::DeliveryState& state);
Status StatusOfError(const amqp::Error& error);

// --- transactions, to the control link

std::string DeclareMessage();
std::string DischargeMessage(const std::string& id, bool fails);

// --- requests

// The body of a request that settles these locks; none is released so.
amqp::Map DispositionOf(const Settling& settling, const std::vector<std::string>& tokens);
amqp::Map TokensToRenew(const std::string& token);
std::string EncodeRequest(const std::string& reply_to, std::string_view operation,
                          const amqp::Map& body);
// The body of the answer; an error if it is one.
Result<amqp::Map> DecodeReply(std::string_view message);
Timestamp TimeOf(amqp::TimestampMs time);

}  // namespace wharf::crash
