// Story: what event logs tell of a message, as a table for people.
//
// Used by `wharf trace`, on the main thread.
#pragma once

#include "tools/wharf/program.h"
#include "tools/wharf/text/time_text.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::tool {

using MessageEvents = google::protobuf::RepeatedPtrField<v1::MessageEvent>;

void SortAsTheyHappened(MessageEvents& events);
void PrintStory(Program& program, const MessageEvents& events, TimeDigits digits);

}  // namespace wharf::tool
