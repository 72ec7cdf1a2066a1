#include "broker/core/queue/scheduled.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/by_number.h"
#include "broker/core/queue/life.h"

namespace wharf {
namespace {

Timestamp TimeOf(const StoredMessage& scheduled) {
  return *scheduled.message.scheduled_enqueue_time;
}

}  // namespace

Status Scheduled::CheckFound(const std::vector<SequenceNumber>& numbers,
                             const FoundScheduled& found) const {
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  for (const SequenceNumber number : numbers) {
    if (found.messages.contains(number) || found.unreadable.contains(number)) continue;
    return {ErrorCode::kMessageNotFound, fmt::format("'{}' has no scheduled message {}",
                                                     record_.description.name, number.value())};
  }
  return {};
}

// What cannot be read is not delivered, and nobody guesses what it was.
Status Scheduled::CheckReadable(const std::vector<SequenceNumber>& numbers,
                                const FoundScheduled& found) const {
  WHARF_RETURN_IF_ERROR(CheckFound(numbers, found));
  for (const auto& [number, unreadable] : found.unreadable) {
    return {
        ErrorCode::kGeneralError,
        fmt::format("scheduled message {} of '{}' cannot be read, and can only be cancelled: {}",
                    number.value(), record_.description.name, unreadable.reason)};
  }
  return {};
}

void Scheduled::Add(std::shared_ptr<StoredMessage> stored, Timestamp time, Changes& changes) {
  main_.CountScheduled(1, stored->facts.size);
  changes.push_back(MessageScheduled{record_.id, std::move(stored), time});
}

Status Scheduled::Cancel(const std::vector<SequenceNumber>& numbers, const FoundScheduled& found,
                         Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckFound(numbers, found));
  main_.NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const auto unreadable = found.unreadable.find(number);
    if (unreadable != found.unreadable.end()) {
      main_.CountUnreadableScheduled();
      main_.NoteScheduled(number);
      changes.push_back(ScheduledCancelled{record_.id, number, unreadable->second.time, {}, true});
      continue;
    }
    const StoredMessage& scheduled = *found.messages.at(number);
    main_.CountScheduled(-1, -scheduled.facts.size);
    main_.NoteScheduled(number);
    changes.push_back(ScheduledCancelled{record_.id, number, TimeOf(scheduled), scheduled.facts});
  }
  return {};
}

Status Scheduled::Reschedule(const std::vector<SequenceNumber>& numbers, Timestamp time,
                             const FoundScheduled& found, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckReadable(numbers, found));
  WHARF_RETURN_IF_ERROR(entrance_.CheckOutlet());
  main_.NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const StoredMessage& before = *found.messages.at(number);
    if (time <= now) {
      ActivateOne(found.messages.at(number), now, changes);
      continue;
    }
    auto moved = std::make_shared<StoredMessage>(before);
    moved->message.scheduled_enqueue_time = time;
    main_.NoteScheduled(number);
    changes.push_back(MessageRescheduled{record_.id, std::move(moved), TimeOf(before), time});
  }
  return {};
}

Result<std::vector<SequenceNumber>> Scheduled::Activate(const std::vector<SequenceNumber>& numbers,
                                                        const FoundScheduled& found, Timestamp now,
                                                        Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckReadable(numbers, found));
  WHARF_RETURN_IF_ERROR(entrance_.CheckOutlet());
  std::vector<SequenceNumber> activated;
  activated.reserve(numbers.size());
  for (const SequenceNumber number : numbers) {
    activated.push_back(ActivateOne(found.messages.at(number), now, changes));
  }
  return activated;
}

// As with one that is activated, its new number is behind all that were counted out before.
void Scheduled::Quarantine(SequenceNumber number, UnreadableScheduled unreadable, Timestamp now,
                           Changes& changes) {
  if (entrance_.is_of_topic()) return;
  const SequenceNumber taken = placement_.TakeNumber(Message());
  placement_.PassTurn();
  main_.NoteActivity(now);
  main_.QuarantineScheduled(taken, number, std::move(unreadable), now, changes);
}

// Also while sending is disabled or the queue is full: it was accepted before (SCH-13, QUO-2).
SequenceNumber Scheduled::ActivateOne(const MessagePtr& scheduled, Timestamp now,
                                      Changes& changes) {
  auto stored = std::make_shared<StoredMessage>(*scheduled);
  placement_.Take(*stored);
  placement_.PassTurn();
  stored->enqueued_at = now;
  // Released early: its time is now, or where it is forwarded to it would wait once more (FWD-13).
  stored->message.scheduled_enqueue_time = std::min(TimeOf(*scheduled), now);
  StartLife(record_.description, *stored);
  main_.CountScheduled(-1, -scheduled->facts.size);
  main_.NoteScheduled(scheduled->number);
  main_.NoteActivity(now);
  const SequenceNumber number = stored->number;
  if (entrance_.is_of_topic()) {
    MessagePublished published{.topic = record_.id, .message = std::move(stored)};
    published.scheduled = {scheduled->number, TimeOf(*scheduled)};
    entrance_.Publish(std::move(published), now, changes);
    return number;
  }
  main_.Append(stored, changes);
  changes.push_back(
      MessageActivated{main_.shelf(), std::move(stored), scheduled->number, TimeOf(*scheduled)});
  return number;
}

}  // namespace wharf
