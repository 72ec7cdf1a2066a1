// PageToken: where a list goes on, as text that clients hand back unread.
//
//   scheduled messages   micros since 1970 "-" sequence number
//   jobs                 id of the last job of the page before
#pragma once

#include <string>
#include <string_view>

#include "broker/core/job.h"
#include "broker/schema/keys.h"

namespace wharf {

std::string PageTokenOf(const ScheduledTime& next);
// Empty: the first of all. ArgumentError if it is no such token.
Result<ScheduledTime> ScheduledTimeFromPageToken(std::string_view token);

std::string PageTokenOf(JobId last);
// Empty: 0, before the first of all. ArgumentError if it is no such token.
Result<JobId> JobIdFromPageToken(std::string_view token);

}  // namespace wharf
