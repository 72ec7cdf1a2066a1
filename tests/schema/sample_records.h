// SampleRecords: values with every field set, to be written and read back.
#pragma once

#include "broker/core/operations/job.h"
#include "broker/core/queue/lane.h"
#include "tests/harness/sample_message.h"

namespace wharf {

inline constexpr LockToken kSampleToken{0x0102030405060708, 0xF0F1F2F3F4F5F6F7};

StoredMessage SampleStoredMessage();
EntityRecord SampleEntity();
LaneCounters SampleCounters();
TransactionRecord SampleTransaction();
Lock SampleLock();
JobRecord SampleJob();
Span SampleSpan();

}  // namespace wharf
