// DeadLetters: how messages of an entity become dead letters, and what they keep and get on the way
// (DLQ-6, DLQ-9, DLQ-10).
//
// Decides nothing: its caller knows why. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>
#include <string>

#include "broker/core/queue/found.h"
#include "broker/core/queue/lanes.h"
#include "storage/base/status.h"

namespace wharf {

// Why a message is one.
struct DeadLetterNote {
  std::optional<std::string> reason;
  std::optional<std::string> description;
};
// RSN-2.
DeadLetterNote ExpiryNote();
// Of a message that another entity does not take, for this reason (RSN-8).
DeadLetterNote NoteOf(const Status& refused);

class DeadLetters {
 public:
  // Both outlive it.
  DeadLetters(const EntityRecord& record, Lanes& lanes) : record_(record), lanes_(lanes) {}

  // One that was taken out of the main lane already.
  struct Extracted {
    MessagePtr message;
    Delivery delivery;
    MessageFacts facts;
    Standing from = Standing::kLocked;
  };
  void Take(const Extracted& extracted, const PropertyMap& properties, const DeadLetterNote& note,
            Changes& changes);
  // A message that is locked by this token; `contents` has it.
  void TakeLocked(const LockToken& token, std::uint32_t delivery_count,
                  const PropertyMap& properties, const DeadLetterNote& note,
                  const Contents& contents, Changes& changes);
  // A message that is not locked.
  void TakeFound(const FoundMessage& found, const PropertyMap& properties,
                 const DeadLetterNote& note, Changes& changes);

 private:
  const EntityRecord& record_;
  Lanes& lanes_;
};

}  // namespace wharf
