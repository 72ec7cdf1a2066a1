// RecordedRest: a client of Service Bus over HTTP whose every word is written into the history, as
// RecordedClient is over gRPC.
//
// Made by a worker for one run of the broker, used on the worker's thread. What hears nothing
// because the broker died is an error that IsGone; so is it, and nothing is written, that there is
// nobody to ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/crash/load/worker.h"
#include "tools/crash/rest/rest_client.h"
#include "tools/crash/rest/rest_words.h"

namespace wharf::crash {

class RecordedRest {
 public:
  explicit RecordedRest(Life& life)
      : client_(life.rest_addresses), life_(life), receiver_(life.recorder.NewReceiver()) {}

  Status Send(QueueIndex queue, const v1::Message& message);
  // Together, all or none.
  Status SendBatch(QueueIndex queue, const std::vector<v1::Message>& messages);
  // The next message; nothing if none comes within a second.
  Result<std::optional<DeliveryRecord>> Receive(const Source& source, Mode mode);
  // By the address of the lock: completes the message, or abandons it. What has no answer when the
  // broker is gone is held.
  Status Complete(const HeldLock& lock) { return Settle(lock, Verb::kComplete); }
  Status Unlock(const HeldLock& lock) { return Settle(lock, Verb::kAbandon); }
  Status Renew(const HeldLock& lock);

 private:
  template <typename Record>
  void Begin(Record& record) {
    record.hides_outcome = true;
    life_.recorder.Begin(record);
  }
  std::string PathOf(const Source& source);
  Status Send(SendRecord send, RestClient::Request request);
  Status Settle(const HeldLock& lock, Verb verb);
  // Its end is in the record.
  template <typename Record>
  Result<RestClient::Answer> Ask(Record& record, RestClient::Request request, Asked asked);

  RestClient client_;
  Life& life_;
  const std::uint32_t receiver_;
};

}  // namespace wharf::crash
