// Forwarding: how messages leave for other entities, and how they enter from there.
//
// The source asks the target and moves the message, in one list of changes: it is in one of them at
// any time. What the target does not take rests in the source's dead-letter queue (FWD-11); what is
// there already stays there (FWD-15).

#include <cassert>

#include <fmt/core.h>

#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

// FWD-9.
constexpr std::uint32_t kHopsMax = 4;

std::string HopsDescription() {
  return fmt::format(
      "The maximum number of allowed hops when forwarding between queues has been exceeded. This "
      "value is set to {}.",
      kHopsMax);
}

// RSN-8.
std::string ExceptionOf(const Status& status) {
  return fmt::format("{}Exception", ReasonOf(status.code()));
}

}  // namespace

Forwarded Queue::ForwardHead(LaneKind kind, const Result<Queue*>& target, KnownIds& known,
                             Timestamp now, Changes& changes) {
  Lane& from = lanes_.of(kind);
  const FoundMessage head = *from.FindHead(nullptr);
  if (head.message->hops >= kHopsMax) {
    return KeepHead(kind, {"MaxTransferHopCountExceeded", HopsDescription()}, changes);
  }
  const Status closed = target.ok() ? (*target)->CheckSend() : target.status();
  if (!closed.ok() && kind == LaneKind::kDeadLetter) return Forwarded::kBlocked;
  if (!closed.ok()) {
    return KeepHead(kind, {ExceptionOf(closed), std::string(closed.message())}, changes);
  }
  std::shared_ptr<StoredMessage> moved = PrepareForward(kind, head);
  if (const auto refusal = (*target)->RefusalOf(*moved, now)) {
    return KeepHead(kind, *refusal, changes);
  }
  const ReadyHead taken = from.ExtractHead();
  const StoredMessage& before = *taken.message;
  (*target)->Arrive(std::move(moved), {from.shelf(), before.number, before.facts, taken.from},
                    known, now, changes);
  return Forwarded::kMoved;
}

// It cannot leave: a dead letter stays, any other message becomes one.
Forwarded Queue::KeepHead(LaneKind kind, const DeadLetterNote& note, Changes& changes) {
  if (kind == LaneKind::kDeadLetter) {
    lanes_.dead_letter().PassHead();
    return Forwarded::kPassed;
  }
  ReadyHead head = lanes_.main().ExtractHead();
  const MessageFacts facts = head.message->facts;
  dead_letters_.Take({std::move(head.message), std::move(head.delivery), facts, head.from}, {},
                     note, changes);
  return Forwarded::kDeadLettered;
}

// As it sets out: with what receivers changed, and with where it comes from (FWD-12, FWD-14).
std::shared_ptr<StoredMessage> Queue::PrepareForward(LaneKind kind,
                                                     const FoundMessage& head) const {
  auto moved = std::make_shared<StoredMessage>(*head.message);
  const auto& changed = head.delivery.changed_properties;
  if (changed) Merge(moved->message.application_properties, *changed);
  // Later hops leave it as it is (SEQ-9).
  if (moved->enqueued_number == SequenceNumber()) moved->enqueued_number = moved->number;
  if (kind == LaneKind::kDeadLetter) moved->dead_letter_source = description().name;
  ++moved->hops;
  moved->facts.expires_at = kNever;
  moved->facts.session_id.clear();
  moved->facts.size = StoredSizeOf(*moved);
  return moved;
}

// Why this queue, which takes messages, does not take this one (FWD-13).
std::optional<DeadLetterNote> Queue::RefusalOf(const StoredMessage& arriving, Timestamp now) const {
  const auto note = [](const Status& status) {
    return DeadLetterNote{ExceptionOf(status), std::string(status.message())};
  };
  const Status bad = CheckMessage(arriving.message);
  if (bad.code() == ErrorCode::kMessageSizeExceeded) {
    return DeadLetterNote{"HeaderSizeExceeded",
                          "The size quota for this stream has been exceeded."};
  }
  if (!bad.ok()) return note(bad);
  if (!placement_.CheckSession(arriving.message).ok()) {
    return DeadLetterNote{"Session ID is null.",
                          "Session enabled entity doesn't allow a message whose session "
                          "identifier is null."};
  }
  Status refused = quota_.CheckSize(arriving.facts.size);
  if (refused.ok()) refused = CheckTaker(arriving.message, now);
  return refused.ok() ? std::nullopt : std::optional(note(refused));
}

// The message enters as if it had been sent (FWD-12, FWD-13), or is dropped because its id is known
// (DUP-9).
void Queue::Arrive(std::shared_ptr<StoredMessage> arriving, const Departure& departure,
                   KnownIds& known, Timestamp now, Changes& changes) {
  lanes_.main().NoteAccess(now);
  if (duplicates_.Find(arriving->message, known, now) != nullptr) {
    changes.push_back(MessageRemoved{departure.lane, departure.number, departure.facts,
                                     departure.standing, RemovalCause::kDuplicate});
    return;
  }
  const Timestamp time = arriving->message.scheduled_enqueue_time.value_or(now);
  const bool is_scheduled = time > now;
  placement_.Take(*arriving, is_scheduled);
  placement_.PassTurn();
  arriving->enqueued_at = now;
  if (!is_scheduled) StartLife(description(), *arriving);
  duplicates_.Remember(*arriving, is_scheduled, known, now, changes);
  if (is_scheduled) {
    lanes_.main().CountScheduled(1, arriving->facts.size);
  } else if (outlet_ != nullptr) {
    const bool has_stored_body = arriving->facts.body_ref.has_value();
    return outlet_->Publish({.topic = record_.id,
                             .message = std::move(arriving),
                             .origin = departure,
                             .has_stored_body = has_stored_body},
                            now, changes);
  } else {
    lanes_.main().Append(arriving, changes);
  }
  changes.push_back(MessageForwarded{departure.lane, departure.number, departure.facts,
                                     departure.standing, lanes_.main().shelf(), std::move(arriving),
                                     is_scheduled ? std::optional(time) : std::nullopt});
}

Status Queue::Redrive(const FoundMessage& found, Queue& target, Timestamp now, Changes& changes) {
  if (found.standing == Standing::kLocked) {
    return {ErrorCode::kInvalidOperation, "the message is locked"};
  }
  WHARF_RETURN_IF_ERROR(target.CheckSend());
  auto moved = std::make_shared<StoredMessage>(*found.message);
  PropertyMap& properties = moved->message.application_properties;
  if (found.delivery.changed_properties) Merge(properties, *found.delivery.changed_properties);
  CountRedrive(properties);
  moved->hops = 0;
  moved->facts.size = StoredSizeOf(*moved);
  WHARF_RETURN_IF_ERROR(target.quota_.CheckSize(moved->facts.size));
  WHARF_RETURN_IF_ERROR(CheckProperties(properties));
  WHARF_RETURN_IF_ERROR(target.placement_.CheckSession(moved->message));
  WHARF_RETURN_IF_ERROR(target.CheckTaker(moved->message, now));
  target.placement_.Take(*moved);
  target.placement_.PassTurn();
  moved->enqueued_at = now;
  StartLife(target.description(), *moved);
  lanes_.dead_letter().ExtractFound(found, changes);
  target.lanes_.main().NoteAccess(now);
  if (target.outlet_ != nullptr) {
    const bool has_stored_body = moved->facts.body_ref.has_value();
    target.outlet_->Publish(
        {.topic = target.record_.id,
         .message = std::move(moved),
         .origin = MessagePublished::Origin{lanes_.dead_letter().shelf(), found.message->number,
                                            found.message->facts, found.standing},
         .has_stored_body = has_stored_body},
        now, changes);
    return {};
  }
  target.lanes_.main().Append(moved, changes);
  changes.push_back(MessageRedriven{lanes_.dead_letter().shelf(), found.message->number,
                                    found.message->facts, found.standing,
                                    target.lanes_.main().shelf(), std::move(moved)});
  return {};
}

// The reason goes, the count of redrives rises (RDR-1).
void Queue::CountRedrive(PropertyMap& properties) {
  std::int64_t count = 0;
  for (const auto& [name, value] : properties) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (name == kRedriveCount && number != nullptr) count = *number;
  }
  std::erase_if(properties, [](const auto& property) {
    return property.first == kDeadLetterReason || property.first == kDeadLetterErrorDescription;
  });
  Merge(properties, {{std::string(kRedriveCount), count + 1}});
}

}  // namespace wharf
