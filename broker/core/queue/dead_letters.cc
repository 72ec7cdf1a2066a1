#include "broker/core/queue/dead_letters.h"

#include <utility>

#include <fmt/core.h>

namespace wharf {

DeadLetterNote ExpiryNote() {
  return {"TTLExpiredException", "The message expired and was dead lettered."};
}

DeadLetterNote NoteOf(const Status& refused) {
  return {fmt::format("{}Exception", ReasonOf(refused.code())), std::string(refused.message())};
}

void DeadLetters::TakeLocked(const LockToken& token, std::uint32_t delivery_count,
                             const PropertyMap& properties, const DeadLetterNote& note,
                             const Contents& contents, Changes& changes) {
  Lock lock = lanes_.main().Extract(token);
  Take({contents.at(lock.number),
        {delivery_count, lock.delivery.changed_properties},
        lock.facts,
        Standing::kLocked},
       properties, note, changes);
}

void DeadLetters::TakeFound(const FoundMessage& found, const PropertyMap& properties,
                            const DeadLetterNote& note, Changes& changes) {
  lanes_.main().ExtractFound(found, changes);
  Take({found.message, found.delivery, found.message->facts, found.standing}, properties, note,
       changes);
}

void DeadLetters::Take(const Extracted& extracted, const PropertyMap& properties,
                       const DeadLetterNote& note, Changes& changes) {
  auto moved = std::make_shared<StoredMessage>(*extracted.message);
  PropertyMap& target = moved->message.application_properties;
  if (extracted.delivery.changed_properties) Merge(target, *extracted.delivery.changed_properties);
  Merge(target, properties);
  if (note.reason) Merge(target, {{std::string(kDeadLetterReason), *note.reason}});
  if (note.description) {
    Merge(target, {{std::string(kDeadLetterErrorDescription), *note.description}});
  }
  moved->facts.expires_at = kNever;
  moved->facts.shares_hint = false;
  // It leaves its session (DLQ-6) and its level, and stays in its partition.
  moved->facts.session_id.clear();
  moved->facts.track.reset();
  if (record_.description.enable_partitioning) moved->facts.track = PartitionOf(moved->number);
  moved->facts.size = StoredSizeOf(*moved);

  const Delivery delivery{extracted.delivery.count, nullptr};
  lanes_.dead_letter().Insert(moved, delivery, changes);
  changes.push_back(MessageDeadLettered{lanes_.main().shelf(), lanes_.dead_letter().shelf(),
                                        std::move(moved), delivery, extracted.facts,
                                        extracted.from});
}

}  // namespace wharf
