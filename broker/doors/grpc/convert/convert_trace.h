// Where messages are, and pieces of their bodies, as the API says it. Pure functions.
#pragma once

#include "broker/requests/peek_requests.h"
#include "broker/requests/trace_requests.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf {

// `from` is where the piece begins.
void ToProto(BodyPiece piece, std::uint64_t from, v1::PeekBodyResponse* proto);

// ArgumentError if the request says neither an id nor a number.
Result<WantedMessage> WantedFromProto(const v1::TraceMessageRequest& request);
// All but the token of the next page.
void ToProto(const TracePage& page, v1::TraceMessageResponse* proto);

}  // namespace wharf
