// HistoryChecker: whether the broker kept its promises in a history.
#pragma once

#include "tools/crash/history/history.h"
#include "tools/crash/history/violation.h"

namespace wharf::crash {

// Every promise that was broken, the message's story with it. Empty: all were kept.
Violations CheckHistory(const History& history);

}  // namespace wharf::crash
