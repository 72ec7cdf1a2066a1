// Lives: which life of the broker something happened in, and what may have been lost with its end.
//
// Plain functions on a history that is complete.
#pragma once

#include "tools/crash/history/history.h"

namespace wharf::crash {

// The one that had begun last; null: none had.
const LifeRecord* LifeAt(const History& history, Tick tick);

// Whether messages may have been on their way to this receive when it ended, of which nobody heard.
// Of one that takes them for good the broker says so itself. Of one that locks them it speaks for
// settlements alone: what was locked and not sent when it failed, or lost its leadership, stays
// locked for nobody. A call that was given messages to lock in several turns is answered with those
// of which the broker knows that they are durable, also when it fails in the next one. What is
// answered to a call that takes them for good is all that it took (RCV-1).
bool MayHaveLost(const History& history, const ReceiveRecord& receive);

}  // namespace wharf::crash
