// Exchange: a transaction that completes one message and sends another.
//
// Plain values and functions; for clients of any door.
#pragma once

#include <cstdint>
#include <string>

#include "tools/crash/history/recorder.h"
#include "wharf/v1/message.pb.h"

namespace wharf::crash {

// Its records are written when it is known how it ended.
struct Exchange {
  std::string id;
  SettleRecord settle;
  SendRecord send;
};

// What is known of a message before it is sent.
SentMessage Unsent(const v1::Message& message);

// Both with the reply of the settlement: a message that was completed and not sent, or sent and not
// completed, is a violation of what is checked for each. `number`: of the message; 0: it was not
// told.
void Record(const Exchange& exchange, std::int64_t number, Recorder& recorder);

}  // namespace wharf::crash
