#include "broker/core/changes/change_bytes.h"

namespace wharf {
namespace {

std::size_t CarriedBytes(const StoredMessage& message) {
  const std::size_t size = static_cast<std::size_t>(message.facts.size);
  return message.has_body() ? size : size - message.facts.body_ref->size;
}

template <typename T>
std::size_t CarriedBytes(const T& change) {
  if constexpr (requires { change.message->facts; }) return CarriedBytes(*change.message);
  return 0;
}

std::size_t CarriedBytes(const EntityCreated& created) {
  return created.record->description.unknown_elements.size();
}
std::size_t CarriedBytes(const EntityUpdated& updated) {
  return updated.record->description.unknown_elements.size();
}
// The copies of a published message, which follow it, carry what it has.
std::size_t CarriedBytes(const MessagePublished& /*published*/) { return 0; }
std::size_t CarriedBytes(const ScheduledQuarantined& moved) { return moved.record.size(); }
std::size_t CarriedBytes(const EventsLogged& logged) { return logged.row.size(); }
std::size_t CarriedBytes(const BodyChunkStored& stored) { return stored.bytes.size(); }
std::size_t CarriedBytes(const MessagesExpired& expired) {
  return (expired.span->exceptions.size() + expired.absorbed.size()) * sizeof(SequenceNumber);
}
// Its messages have rows of `order` to be deleted, each by itself.
std::size_t CarriedBytes(const SpanForgotten& forgotten) {
  constexpr std::size_t kDeletionBytes = 32;
  const Span& span = *forgotten.span;
  const std::uint64_t numbers = span.last.value() - span.first.value() + 1;
  return forgotten.track ? numbers * kDeletionBytes : 0;
}
std::size_t CarriedBytes(const SessionStateSet& set) { return set.state ? set.state->size() : 0; }

}  // namespace

std::size_t BytesOf(const Change& change) {
  return kChangeBytes + std::visit([](const auto& each) { return CarriedBytes(each); }, change);
}

}  // namespace wharf
