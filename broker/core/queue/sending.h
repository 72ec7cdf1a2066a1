// Sending: what clients send to an entity: whether it takes it, and how it is stored.
//
// A message is checked in one place for all: a send by itself, one of all or none, one whose body
// comes apart from it, and a transaction, which checks first and stores later. They differ only in
// what counts beside the message. Owned by a Queue, used on the shard's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "broker/core/messages/send_outcome.h"
#include "broker/core/queue/duplicates.h"
#include "broker/core/queue/entrance.h"
#include "broker/core/queue/placement.h"
#include "broker/core/queue/scheduled.h"

namespace wharf {

class Sending {
 public:
  // All that it is made with outlives it.
  Sending(const EntityRecord& record, Lane& main, Placement& placement, const Quota& quota,
          Duplicates& duplicates, Entrance& entrance, Scheduled& scheduled)
      : record_(record),
        main_(main),
        placement_(placement),
        quota_(quota),
        duplicates_(duplicates),
        entrance_(entrance),
        scheduled_(scheduled) {}

  // One result a message. With `atomic` either every message gets a number, or the status says why
  // none did. `known` has what is known of the messages' ids, and learns the new ones; only an
  // entity with duplicate detection looks at it. `encoded_bytes` as in SendRequest
  // (requests/send_requests.h); also of one message that is not atomic.
  Result<std::vector<Result<SendOutcome>>> Send(
      std::vector<Message> messages, bool atomic, KnownIds& known, Timestamp now, Changes& changes,
      std::optional<std::int64_t> encoded_bytes = std::nullopt);

  // A message whose large body comes apart from it. Checked before its body is there...
  // `drawn_bytes` as in UploadRequest.
  Status CheckLarge(const Message& message, std::uint64_t body_bytes, Timestamp now,
                    std::int64_t drawn_bytes = 0) const;
  // ...and sent when `body` is in rows of its own.
  Result<SendOutcome> SendLarge(Message message, const BodyRef& body, KnownIds& known,
                                Timestamp now, Changes& changes, std::int64_t drawn_bytes = 0);

  // Of a transaction: whether each message would be taken, behind `bytes_more` that the entity gets
  // before. Changes nothing; what is let pass is so for the rest of the turn.
  Status CheckAll(const std::vector<Message>& messages, std::int64_t bytes_more,
                  Timestamp now) const;
  // Stores what CheckAll let pass.
  std::vector<SendOutcome> AcceptAll(std::vector<Message> messages, KnownIds& known, Timestamp now,
                                     Changes& changes);

 private:
  // The evaluation of one message, of which `counted_bytes` are held against the limit; whether
  // there is room is told apart, by Admit.
  Status Check(const Message& message, std::int64_t counted_bytes, Timestamp now) const;
  Status Admit(const Message& message, std::int64_t counted_bytes, std::int64_t bytes_more,
               Timestamp now) const;
  Status CheckBatch(const std::vector<Message>& messages, std::optional<std::int64_t> encoded_bytes,
                    const KnownIds& known, Timestamp now) const;
  Status CheckBatchSize(std::int64_t size) const;
  SendOutcome Accept(Message message, const std::optional<BodyRef>& uploaded, KnownIds& known,
                     Timestamp now, Changes& changes);
  std::shared_ptr<StoredMessage> Store(Message message, const std::optional<BodyRef>& uploaded,
                                       bool is_scheduled, Timestamp now);

  const EntityRecord& record_;
  Lane& main_;
  Placement& placement_;
  const Quota& quota_;
  Duplicates& duplicates_;
  Entrance& entrance_;
  Scheduled& scheduled_;
};

}  // namespace wharf
