// Scheduled messages: cancelling, moving and activating them. Sending one is in queue.cc.

#include <algorithm>

#include <fmt/core.h>

#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

Status CheckScheduled(const std::vector<SequenceNumber>& numbers, const Contents& found,
                      const std::string& name) {
  WHARF_RETURN_IF_ERROR(CheckNamedOnce(numbers));
  for (const SequenceNumber number : numbers) {
    if (found.contains(number)) continue;
    return {ErrorCode::kMessageNotFound,
            fmt::format("'{}' has no scheduled message {}", name, number.value())};
  }
  return {};
}

Timestamp TimeOf(const StoredMessage& scheduled) {
  return *scheduled.message.scheduled_enqueue_time;
}

}  // namespace

Status Queue::CancelScheduled(const std::vector<SequenceNumber>& numbers, const Contents& found,
                              Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckScheduled(numbers, found, description().name));
  lanes_.main().NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const StoredMessage& scheduled = *found.at(number);
    lanes_.main().CountScheduled(-1, -scheduled.facts.size);
    lanes_.main().NoteScheduled(number);
    changes.push_back(ScheduledCancelled{record_.id, number, TimeOf(scheduled), scheduled.facts});
  }
  return {};
}

Status Queue::Reschedule(const std::vector<SequenceNumber>& numbers, Timestamp time,
                         const Contents& found, Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckScheduled(numbers, found, description().name));
  lanes_.main().NoteActivity(now);
  for (const SequenceNumber number : numbers) {
    const StoredMessage& before = *found.at(number);
    if (time <= now) {
      ActivateOne(found.at(number), now, changes);
      continue;
    }
    auto moved = std::make_shared<StoredMessage>(before);
    moved->message.scheduled_enqueue_time = time;
    lanes_.main().NoteScheduled(number);
    changes.push_back(MessageRescheduled{record_.id, std::move(moved), TimeOf(before), time});
  }
  return {};
}

Result<std::vector<SequenceNumber>> Queue::Activate(const std::vector<SequenceNumber>& numbers,
                                                    const Contents& found, Timestamp now,
                                                    Changes& changes) {
  WHARF_RETURN_IF_ERROR(CheckScheduled(numbers, found, description().name));
  std::vector<SequenceNumber> activated;
  activated.reserve(numbers.size());
  for (const SequenceNumber number : numbers) {
    activated.push_back(ActivateOne(found.at(number), now, changes));
  }
  return activated;
}

// Also while sending is disabled or the queue is full: it was accepted before (SCH-13, QUO-2).
SequenceNumber Queue::ActivateOne(const MessagePtr& scheduled, Timestamp now, Changes& changes) {
  auto stored = std::make_shared<StoredMessage>(*scheduled);
  placement_.Take(*stored);
  placement_.PassTurn();
  stored->enqueued_at = now;
  // Released early: its time is now, or where it is forwarded to it would wait once more (FWD-13).
  stored->message.scheduled_enqueue_time = std::min(TimeOf(*scheduled), now);
  StartLife(description(), *stored);
  lanes_.main().CountScheduled(-1, -scheduled->facts.size);
  lanes_.main().NoteScheduled(scheduled->number);
  lanes_.main().NoteActivity(now);
  const SequenceNumber number = stored->number;
  if (outlet_ != nullptr) {
    MessagePublished published{.topic = record_.id, .message = std::move(stored)};
    published.scheduled = {scheduled->number, TimeOf(*scheduled)};
    published.has_stored_body = scheduled->facts.body_ref.has_value();
    outlet_->Publish(std::move(published), now, changes);
    return number;
  }
  lanes_.main().Append(stored, changes);
  changes.push_back(MessageActivated{lanes_.main().shelf(), std::move(stored), scheduled->number,
                                     TimeOf(*scheduled)});
  return number;
}

}  // namespace wharf
