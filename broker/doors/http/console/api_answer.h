// ApiAnswer: what the JSON API answers: one table from the codes of gRPC to those of HTTP, the form
// of its errors, and what every answer tells a browser.
//
//   {"error": {"code": "MessagingEntityNotFound", "status": "NOT_FOUND", "message": "...",
//    "entityPath": "orders", "isTransient": false, "outcome": "not-done", "trackingId": "..."}}
//
// Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "broker/doors/common/inner_calls.h"
#include "broker/doors/http/exchange.h"
#include "broker/requests/caller.h"
#include "storage/base/status.h"

namespace wharf::console {

// Of one of gRPC's 17; "UNKNOWN" of others.
struct ApiCode {
  int grpc;
  std::string_view name;
  unsigned http;
};
const ApiCode& ApiCodeOf(int grpc);
// The same of an error that this room itself finds; of others it is INTERNAL.
const ApiCode& ApiCodeOf(ErrorCode code);

// With 200.
HttpResponse JsonAnswer(std::string json);
HttpResponse ErrorAnswer(const Status& status, const TrackingId& tracking_id);
// Of what is wrong with HTTP itself, by the status that says so.
HttpResponse ErrorAnswer(unsigned http, std::string_view why, const TrackingId& tracking_id);
// Of a call that was not done.
HttpResponse ErrorAnswer(const InnerCalls::Answer& answer, const TrackingId& tracking_id);

// What a browser must not do with it: show it in a frame, run it, guess what it is, keep it. What
// the answer itself says of one of these stays.
HttpResponse ForBrowsers(HttpResponse response);

}  // namespace wharf::console
