// BodyCall: the body of a message as it is, for who has large ones and no use for base64.
//
//   GET  /api/v1/bodies?entityPath=orders&sequenceNumber=7   of a message where it is:
//   Messaging/PeekBody, in pieces POST /api/v1/bodies?entityPath=orders                    a
//   message with this body and the properties that the field
//                                                            X-Wharf-Message has as JSON:
//                                                            Messaging/SendStream
//
// Begun by the ConsoleService for who may ask; lives until it is answered. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/console/visit.h"
#include "broker/doors/http/http_service.h"

namespace wharf::console {

inline constexpr std::string_view kBodiesPath = "/api/v1/bodies";

// What is held as long as one is under way: the way to the broker, and a place among the calls.
struct BodyCall {
  std::shared_ptr<Visit> visit;
  std::shared_ptr<void> place;
  // Outlives it.
  InnerCalls* calls = nullptr;
  HttpReplyPtr reply;
};

// Of which message, or to which entity; and how that is.
struct BodyRequest {
  std::string entity_path{};
  // Absent: of a message that is sent.
  std::optional<std::int64_t> sequence_number{};
  // The bytes of a wharf.v1.Message.
  std::string message{};
};
// ArgumentError, if it is none.
Result<BodyRequest> ParseBodyRequest(const HttpRequest& head);

// Pieces are asked for as its client reads; one that cannot be had breaks the answer off.
void AnswerBody(const BodyCall& call, const BodyRequest& request);
// Answers with what Send tells of one message, when it is durable.
void SendBody(const BodyCall& call, const BodyRequest& request, std::string body);

}  // namespace wharf::console
