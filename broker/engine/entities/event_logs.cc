#include "broker/engine/entities/event_logs.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <spdlog/spdlog.h>

#include "broker/core/entities/names.h"
#include "broker/core/messages/text.h"
#include "broker/schema/event_record.h"

namespace wharf {
namespace {

// Of a row's key.
constexpr std::uint64_t kKeyBytes = 16;

bool MakesOrChangesEntities(const Changes& changes) {
  return std::any_of(changes.begin(), changes.end(), [](const Change& change) {
    return std::holds_alternative<EntityCreated>(change) ||
           std::holds_alternative<EntityUpdated>(change);
  });
}

std::string_view IdOf(const StoredMessage& message) {
  return message.message.message_id ? std::string_view(*message.message.message_id)
                                    : std::string_view();
}

std::string_view TextAt(const PropertyMap& properties, std::string_view name) {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [name](const auto& each) { return each.first == name; });
  if (found == properties.end()) return {};
  const auto* text = std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// Why it is a dead letter, as it says itself.
std::string ReasonOf(const StoredMessage& message) {
  const PropertyMap& properties = message.message.application_properties;
  std::string reason(TextAt(properties, kDeadLetterReason));
  const std::string_view description = TextAt(properties, kDeadLetterErrorDescription);
  if (!description.empty()) reason.append(reason.empty() ? "" : ": ").append(description);
  return Shortened(reason, EventLogs::kReasonBytesMax);
}

EventKind KindOf(ReturnCause cause) {
  switch (cause) {
    case ReturnCause::kAbandoned:
      return EventKind::kAbandoned;
    case ReturnCause::kLockExpired:
      return EventKind::kLockExpired;
    case ReturnCause::kReleased:
      return EventKind::kReleased;
    case ReturnCause::kDeferred:
      return EventKind::kDeferred;
  }
  return EventKind::kReleased;
}

EventKind KindOf(RemovalCause cause) {
  switch (cause) {
    case RemovalCause::kExpired:
      return EventKind::kExpired;
    case RemovalCause::kDeleted:
      return EventKind::kDeleted;
    case RemovalCause::kDuplicate:
      return EventKind::kDuplicateDropped;
  }
  return EventKind::kDeleted;
}

std::optional<Timestamp> TimeOrNone(Timestamp time) {
  return time == kNever ? std::nullopt : std::optional(time);
}

}  // namespace

// Goes through the changes of a turn, and tells each to the logs that it concerns.
class EventLogs::Walk {
 public:
  Walk(EventLogs& logs, Turn& turn) : logs_(logs), turn_(turn) {}

  void Run() {
    const std::size_t count = turn_.changes.size();
    for (; index_ < count; ++index_) std::visit(*this, turn_.changes[index_]);
    Finish();
  }

  void operator()(const EntityCreated& change) { Begin(*change.record); }
  void operator()(const EntityUpdated& change) {
    const EntityRecord& record = *change.record;
    const auto found = logs_.logs_.find(record.id);
    if (found == logs_.logs_.end()) return Begin(record);
    if (!record.description.has_event_log()) return Drop(record.id);
    const Log wanted = LogOf(record.description);
    found->second.retention = wanted.retention;
    if (wanted.bytes_max == found->second.bytes_max) return;
    found->second.bytes_max = wanted.bytes_max;
    if (found->second.end > wanted.bytes_max) Trim(record.id, found->second, 0, tail_);
  }
  void operator()(const EntityDeleted& change) { Drop(change.id); }

  void operator()(const MessageEnqueued& change) {
    Tell(change.lane, {.kind = EventKind::kSent,
                       .number = change.message->number,
                       .message_id = IdOf(*change.message)});
  }
  void operator()(const MessageScheduled& change) {
    Tell({change.entity, LaneKind::kMain}, {.kind = EventKind::kScheduled,
                                            .number = change.message->number,
                                            .until = change.time,
                                            .message_id = IdOf(*change.message)});
  }
  void operator()(const MessageRescheduled& change) {
    Tell({change.entity, LaneKind::kMain},
         {.kind = EventKind::kRescheduled, .number = change.message->number, .until = change.time});
  }
  void operator()(const ScheduledCancelled& change) {
    Tell({change.entity, LaneKind::kMain},
         {.kind = EventKind::kScheduleCancelled, .number = change.number});
  }
  void operator()(const MessageActivated& change) {
    Tell({change.lane.entity, LaneKind::kMain}, {.kind = EventKind::kActivated,
                                                 .number = change.message->number,
                                                 .message_id = IdOf(*change.message),
                                                 .other_number = change.scheduled_number});
  }
  void operator()(const MessagePublished& change) {
    if (change.origin) {
      const MessagePublished::Origin& origin = **change.origin;
      TellAway(KindOfLeaving(origin.lane), origin.lane, origin.number,
               {change.topic, LaneKind::kMain}, change.message->number);
    }
    Event event{.kind = EventKind::kPublished,
                .number = change.message->number,
                .count = change.copies,
                .message_id = IdOf(*change.message)};
    if (change.scheduled) event.other_number = change.scheduled->number;
    Tell({change.topic, LaneKind::kMain}, std::move(event));
  }
  void operator()(const MessageCopied& change) {
    const std::string reason = change.lane.kind == LaneKind::kDeadLetter && Has(change.lane.entity)
                                   ? ReasonOf(*change.message)
                                   : std::string();
    Tell(change.lane, {.kind = EventKind::kCopied,
                       .number = change.message->number,
                       .message_id = IdOf(*change.message),
                       .reason = reason});
  }

  void operator()(const MessageLocked& change) {
    Tell(change.lane, {.kind = EventKind::kDelivered,
                       .number = change.number,
                       .until = TimeOrNone(change.until),
                       .count = change.delivery.count});
  }
  void operator()(const LockRenewed& change) {
    Tell(change.lane, {.kind = EventKind::kLockRenewed,
                       .number = change.number,
                       .until = TimeOrNone(change.until)});
  }
  void operator()(const MessageConsumed& change) {
    Tell(change.lane, {.kind = EventKind::kReceivedAndDeleted, .number = change.number});
  }
  void operator()(const MessageCompleted& change) {
    Tell(change.lane, {.kind = EventKind::kCompleted, .number = change.number});
  }
  void operator()(const MessageReturned& change) { TellReturned(change, std::nullopt); }
  void operator()(const MessageDelayed& change) { TellReturned(change, change.available_at); }
  void operator()(const MessageDeferred& change) {
    // Whatever ended the lock of one that was deferred before, it is deferred again.
    TellReturned(change, std::nullopt);
  }
  void operator()(const MessageDelayEnded& change) {
    Tell(change.lane, {.kind = EventKind::kDelayEnded, .number = change.number});
  }
  void operator()(const MessageUndeferred& change) {
    Tell(change.lane, {.kind = EventKind::kUndeferred, .number = change.number});
  }
  void operator()(const MessageQuarantined& change) {
    const std::string reason = Shortened(change.note->reason, kReasonBytesMax);
    Tell(change.lane, {.kind = EventKind::kQuarantined, .number = change.number, .reason = reason});
  }
  void operator()(const ScheduledQuarantined& change) {
    const std::string reason = Shortened(change.note->reason, kReasonBytesMax);
    Tell(change.lane, {.kind = EventKind::kQuarantined,
                       .number = change.number,
                       .reason = reason,
                       .other_number = change.scheduled_number});
  }
  void operator()(const MessageRemoved& change) {
    Tell(change.lane, {.kind = KindOf(change.cause), .number = change.number});
  }
  void operator()(const MessagesExpired& change) {
    if (!Has(change.lane.entity)) return;
    Event event{.kind = EventKind::kExpired, .number = change.first, .last = change.last};
    for (const SequenceNumber each : change.span->exceptions) {
      if (change.first <= each && each <= change.last) event.exceptions.push_back(each);
    }
    Tell(change.lane, std::move(event));
  }
  void operator()(const LanePurged& change) {
    Tell(change.shelf, {.kind = EventKind::kPurged, .number = SequenceNumber()});
  }
  void operator()(const ScheduledPurged& change) {
    Tell({change.entity, LaneKind::kMain},
         {.kind = EventKind::kSchedulePurged, .number = SequenceNumber()});
  }

  void operator()(const MessageDeadLettered& change) {
    if (!Has(change.to_lane.entity)) return;
    const std::string reason = ReasonOf(*change.message);
    Tell(change.to_lane, {.kind = EventKind::kDeadLettered,
                          .number = change.message->number,
                          .count = change.delivery.count,
                          .reason = reason});
  }
  void operator()(const MessageRedriven& change) {
    TellMoved(EventKind::kRedriven, EventKind::kRedrivenFrom, change, std::nullopt);
  }
  void operator()(const MessageForwarded& change) {
    TellMoved(EventKind::kForwarded, EventKind::kForwardedFrom, change, change.scheduled_for);
  }

  // Nothing of a message, or what others tell.
  template <typename Other>
  void operator()(const Other&) {}

 private:
  bool Has(EntityId entity) const { return logs_.logs_.contains(entity); }

  void Begin(const EntityRecord& record) {
    if (!record.description.has_event_log()) return;
    logs_.logs_[record.id] = LogOf(record.description);
    last_entity_.reset();
  }

  void Drop(EntityId entity) {
    if (logs_.logs_.erase(entity) == 0) return;
    writers_.erase(entity);
    last_entity_.reset();
    tail_.push_back(EventsDropped{entity});
  }

  // What is sent back from a dead-letter queue is redriven, unless that forwards by itself.
  EventKind KindOfLeaving(const Shelf& lane) const {
    const Queue* queue = logs_.catalog_.Find(lane.entity);
    const bool is_forwarded = queue != nullptr && queue->forwards_to(lane.kind);
    return lane.kind == LaneKind::kDeadLetter && !is_forwarded ? EventKind::kRedriven
                                                               : EventKind::kForwarded;
  }

  std::string PathOf(const Shelf& lane) const {
    const Queue* queue = logs_.catalog_.Find(lane.entity);
    if (queue == nullptr) return {};
    std::string path = queue->description().name;
    if (lane.kind == LaneKind::kDeadLetter) path += kDeadLetterSuffix;
    return path;
  }

  void TellAway(EventKind kind, const Shelf& from, SequenceNumber number, const Shelf& to,
                SequenceNumber there) {
    if (!Has(from.entity)) return;
    const std::string path = PathOf(to);
    Tell(from, {.kind = kind, .number = number, .other_path = path, .other_number = there});
  }

  template <typename Moved>
  void TellMoved(EventKind away, EventKind here, const Moved& change,
                 std::optional<Timestamp> until) {
    const SequenceNumber number = change.message->number;
    TellAway(away, change.from_lane, change.number_before, change.to_lane, number);
    if (!Has(change.to_lane.entity)) return;
    const std::string path = PathOf(change.from_lane);
    Tell(change.to_lane, {.kind = here,
                          .number = number,
                          .until = until,
                          .message_id = IdOf(*change.message),
                          .other_path = path,
                          .other_number = change.number_before});
  }

  template <typename Returned>
  void TellReturned(const Returned& change, std::optional<Timestamp> until) {
    Tell(change.lane, {.kind = KindOf(change.cause),
                       .number = change.number,
                       .until = until,
                       .count = change.delivery.count});
  }

  void Tell(const Shelf& lane, Event event) {
    EventRowWriter* writer = WriterOf(lane.entity);
    if (writer == nullptr) return;
    event.lane = lane.kind;
    event.index = told_++;
    writer->Add(event, ActorNow());
    if (writer->bytes() >= kRowBytes) Flush(lane.entity, *writer);
  }

  // Nearly always the one before.
  EventRowWriter* WriterOf(EntityId entity) {
    if (last_entity_ == entity) return last_writer_;
    last_entity_ = entity;
    last_writer_ = nullptr;
    if (!Has(entity)) return nullptr;
    const auto [found, is_new] = writers_.try_emplace(entity);
    if (is_new) {
      order_.push_back(entity);
      found->second = std::make_unique<EventRowWriter>(turn_.now);
    }
    last_writer_ = found->second.get();
    return last_writer_;
  }

  const Actor* ActorNow() {
    while (next_act_ < turn_.acts.size() && turn_.acts[next_act_].begin <= index_) ++next_act_;
    return next_act_ == 0 ? nullptr : turn_.acts[next_act_ - 1].actor.get();
  }

  void Flush(EntityId entity, EventRowWriter& writer) {
    if (!is_counted_) ++logs_.serial_;
    is_counted_ = true;
    Log& log = logs_.logs_.at(entity);
    if (std::exchange(log.is_lost, false)) tail_.push_back(EventsDropped{entity});
    EventsLogged logged{.entity = entity,
                        .position = log.end,
                        .row = writer.Take(turn_.now + log.retention, logs_.serial_),
                        .serial = logs_.serial_};
    log.end += kKeyBytes + logged.row.size();
    logged.end = log.end;
    const std::uint64_t from = logged.position;
    tail_.push_back(std::move(logged));
    Trim(entity, log, from, tail_);
  }

  void Finish() {
    for (const EntityId entity : order_) {
      const auto found = writers_.find(entity);
      if (found != writers_.end() && !found->second->empty()) Flush(entity, *found->second);
    }
    std::move(tail_.begin(), tail_.end(), std::back_inserter(turn_.changes));
  }

  EventLogs& logs_;
  Turn& turn_;
  std::size_t index_ = 0;
  std::size_t next_act_ = 0;
  // Events: a change may be one to each of two entities.
  std::uint64_t told_ = 0;
  bool is_counted_ = false;
  absl::flat_hash_map<EntityId, std::unique_ptr<EventRowWriter>> writers_;
  // In which they were begun, so that the same turn always makes the same rows.
  std::vector<EntityId> order_;
  // Whose writer was asked for last, and that; null: it has no log.
  std::optional<EntityId> last_entity_;
  EventRowWriter* last_writer_ = nullptr;
  // What the turn gets behind its own changes.
  Changes tail_;
};

EventLogs::EventLogs(const Catalog& catalog, const std::vector<EventLogImage>& images)
    : catalog_(catalog) {
  for (const EventLogImage& image : images) {
    const Queue* queue = catalog.Find(image.entity);
    if (queue == nullptr) continue;
    Log log = LogOf(queue->description());
    log.is_lost = !image.head.has_value();
    if (log.is_lost) {
      spdlog::warn("the event log of {} cannot be read: it begins anew",
                   Quoted(queue->description().name));
    } else {
      log.end = image.head->end;
      serial_ = std::max(serial_, image.head->serial);
    }
    logs_.emplace(image.entity, log);
  }
}

EventLogs::Log EventLogs::LogOf(const QueueDescription& description) {
  return {.bytes_max = static_cast<std::uint64_t>(description.event_log_size_in_kilobytes) * 1024,
          .retention = description.event_log_retention};
}

// Between two of these a log grows by a part and a row at most; so what it keeps is less than its
// bound by so much. Each range begins where the one before ended: of ranges that lie within each
// other RocksDB makes as many pieces as there are, and of each a list of all.
void EventLogs::Trim(EntityId entity, Log& log, std::uint64_t from, Changes& changes) {
  const std::uint64_t kept = log.bytes_max - log.part();
  if (log.end <= kept || from / log.part() == log.end / log.part()) return;
  const std::uint64_t until = log.end - kept;
  // It may have become larger than it was.
  if (until <= log.begin) return;
  changes.push_back(EventsDropped{entity, std::exchange(log.begin, until), until});
}

void EventLogs::Record(Turn& turn) {
  if (!is_on() && !MakesOrChangesEntities(turn.changes)) return;
  Walk(*this, turn).Run();
}

}  // namespace wharf
