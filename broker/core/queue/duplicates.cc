#include "broker/core/queue/duplicates.h"

#include <utility>

#include <fmt/core.h>

namespace wharf {

std::optional<DuplicateId> Duplicates::IdOf(const Message& message) const {
  const QueueDescription& description = record_.description;
  if (!description.requires_duplicate_detection || !HasId(message)) return std::nullopt;
  DuplicateId id{{}, *message.message_id};
  if (description.enable_partitioning) {
    id.partition_key = message.session_id.value_or("").empty() ? message.partition_key.value_or("")
                                                               : *message.session_id;
  }
  return id;
}

// To take it might be to take it twice, which nobody would see.
Status Duplicates::Check(const Message& message, const KnownIds& known) const {
  const std::optional<DuplicateId> id = IdOf(message);
  if (!id) return {};
  const auto found = known.find(*id);
  if (found == known.end() || found->second.unreadable.empty()) return {};
  return {
      ErrorCode::kGeneralError,
      fmt::format("whether '{}' has accepted the message_id '{:.128}' before cannot be read, and "
                  "it is not accepted again; send the message with another one: {}",
                  record_.description.name, id->message_id, found->second.unreadable)};
}

const SequenceNumber* Duplicates::Find(const Message& message, const KnownIds& known,
                                       Timestamp now) const {
  const std::optional<DuplicateId> id = IdOf(message);
  if (!id) return nullptr;
  const auto original = known.find(*id);
  const bool is_known = original != known.end() && original->second.forget_after > now;
  return is_known ? &original->second.number : nullptr;
}

void Duplicates::Remember(const StoredMessage& stored, bool is_scheduled, KnownIds& known,
                          Timestamp now, Changes& changes) {
  std::optional<DuplicateId> id = IdOf(stored.message);
  if (!id) return;
  const Timestamp forget_after =
      After(now, record_.description.duplicate_detection_history_time_window);
  known[*id] = {stored.number, forget_after};
  main_.NoteId(*id, known[*id]);
  changes.push_back(MessageIdRemembered{record_.id, std::move(id->partition_key),
                                        std::move(id->message_id), stored.number, forget_after,
                                        is_scheduled});
}

}  // namespace wharf
