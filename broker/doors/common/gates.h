// Gates: what each call and each stream of a door comes through, and is counted at. Owned by the
// door.
#pragma once

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/held_bytes.h"
#include "broker/doors/common/read_gate.h"
#include "broker/doors/common/vouched_callers.h"

namespace wharf {

struct Gates {
  // To the broker.
  CallGate& calls;
  // To memory, for a request.
  ReadGate& reads;
  // What streams, and calls with long answers, hold that their clients have not read.
  HeldBytes::Total& stream_bytes;
  // For whom other doors of this daemon vouch.
  const VouchedCallers& vouched;
  // To memory, for a long answer, until its client has read it.
  ReadGate& answers;
};

}  // namespace wharf
