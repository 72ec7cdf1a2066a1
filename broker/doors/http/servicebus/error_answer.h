// ErrorAnswer: what went wrong, as Service Bus says it over HTTP: one table from ErrorCode to a
// status and a sub-code, and the body that the SDKs read (semantics.md 25).
//
//   <Error><Code>410</Code><Detail>SubCode=41000. {sentence} TrackingId:{id},
//   SystemTracker:wharf:{entity}, Timestamp:{instant}</Detail></Error>
//
// Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "broker/doors/http/exchange.h"
#include "broker/requests/caller.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Of messages and of entities the same error has another status here and there: an entity that is
// not there is 410 for who sends, and 404 for who manages (CNF-17).
enum class ErrorPlane : std::uint8_t { kMessages, kManagement };

struct HttpError {
  unsigned status;
  unsigned sub_code;
};
HttpError HttpErrorOf(ErrorCode code, ErrorPlane plane);
// Of a status that no ErrorCode has.
HttpError HttpErrorOf(unsigned status);

struct AboutHttpError {
  ErrorPlane plane = ErrorPlane::kMessages;
  // As the client wrote it; empty: none.
  std::string_view entity{};
  TrackingId tracking_id{};
  // The wall clock's.
  Timestamp at{};
};
HttpResponse ErrorAnswer(const Status& status, const AboutHttpError& about);
// Of what is wrong with HTTP itself, by the status that says so.
HttpResponse ErrorAnswer(unsigned status, std::string_view why, const AboutHttpError& about);

// A text as it can stand in XML.
std::string XmlText(std::string_view text);

}  // namespace wharf
