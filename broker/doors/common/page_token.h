// PageToken: where a list goes on, as text that clients hand back unread.
//
//   scheduled messages   micros since 1970 "-" sequence number
//   locks                the same: when the last lock ends, and its number
//   jobs                 id of the last job of the page before
//   the search for a message
//                        part of the entity "-" number in it "-" and the entity as what has a name
//   what has a name      checksum of the name, 8 hexadecimal digits; "-"; the folded name of the
//   last
//                        one on the page before
#pragma once

#include <string>
#include <string_view>

#include "broker/core/messages/scheduled_page.h"
#include "broker/core/operations/job.h"
#include "broker/requests/requests.h"
#include "storage/base/status.h"

namespace wharf {

std::string PageTokenOf(const ScheduledTime& next);
// Empty: the first of all. ArgumentError if it is no such token.
Result<ScheduledTime> ScheduledTimeFromPageToken(std::string_view token);

std::string PageTokenOfName(std::string_view last);
// Empty: an empty name, before the first of all. ArgumentError if it is no such token.
Result<std::string> NameFromPageToken(std::string_view token);

std::string PageTokenOf(const LockPlace& last);
Result<LockPlace> LockPlaceFromPageToken(std::string_view token);

std::string PageTokenOf(const TracePosition& next);
// Empty: before the first entity. ArgumentError if it is no such token.
Result<TracePosition> TracePositionFromPageToken(std::string_view token);

std::string PageTokenOf(JobId last);
// Empty: 0, before the first of all. ArgumentError if it is no such token.
Result<JobId> JobIdFromPageToken(std::string_view token);

}  // namespace wharf
