// NormalForm: what a file says of an entity, as the broker would answer it: every default is said,
// and what forwarding decides is decided.
//
// So that the two can be compared, and that what the broker would refuse is refused before anything
// is done. A test compares both with what the broker makes of the same (queue_description.h). Pure
// functions.
#pragma once

#include "storage/base/status.h"
#include "wharf/v1/management.pb.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

// ArgumentError, a sentence that begins with the property: "lock_duration must be from 5s to 1d".
Status Normalize(v1::QueueProperties& queue);
Status Normalize(v1::TopicProperties& topic);
// `topic` is set.
Status Normalize(v1::SubscriptionProperties& subscription);

}  // namespace wharf::tool
