#include "broker/core/queue/transfer.h"

#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

// FWD-9.
constexpr std::uint32_t kHopsMax = 4;

DeadLetterNote TooManyHops() {
  return {"MaxTransferHopCountExceeded",
          fmt::format("The maximum number of allowed hops when forwarding between queues has been "
                      "exceeded. This value is set to {}.",
                      kHopsMax)};
}

// It cannot leave: a dead letter stays, any other message becomes one.
Forwarded KeepHead(Queue& source, LaneKind kind, const DeadLetterNote& note, Changes& changes) {
  Lane& lane = source.lane(kind);
  if (kind == LaneKind::kDeadLetter) {
    lane.PassHead();
    return Forwarded::kPassed;
  }
  ReadyHead head = lane.ExtractHead();
  const MessageFacts facts = head.message->facts;
  source.dead_letters().Take({std::move(head.message), std::move(head.delivery), facts, head.from},
                             {}, note, changes);
  return Forwarded::kDeadLettered;
}

// As it sets out: with what receivers changed, and with where it comes from (FWD-12, FWD-14).
std::shared_ptr<StoredMessage> Prepared(const FoundMessage& head, LaneKind kind,
                                        const std::string& source) {
  auto moved = std::make_shared<StoredMessage>(*head.message);
  const auto& changed = head.delivery.changed_properties;
  if (changed) Merge(moved->message.application_properties, *changed);
  // Later hops leave it as it is (SEQ-9).
  if (moved->enqueued_number == SequenceNumber()) moved->enqueued_number = moved->number;
  if (kind == LaneKind::kDeadLetter) moved->dead_letter_source = source;
  ++moved->hops;
  moved->facts.expires_at = kNever;
  moved->facts.shares_hint = false;
  moved->facts.session_id.clear();
  moved->facts.size = StoredSizeOf(*moved);
  return moved;
}

// The reason goes, the count of redrives rises (RDR-1).
void CountRedrive(PropertyMap& properties) {
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

}  // namespace

Forwarded ForwardHead(Queue& source, LaneKind kind, const Result<Queue*>& target, KnownIds& known,
                      Timestamp now, Changes& changes) {
  Lane& from = source.lane(kind);
  const FoundMessage head = *from.FindHead(nullptr);
  if (head.message->hops >= kHopsMax) return KeepHead(source, kind, TooManyHops(), changes);
  const Status closed = target.ok() ? (*target)->arrivals().Check() : target.status();
  if (!closed.ok() && kind == LaneKind::kDeadLetter) return Forwarded::kBlocked;
  if (!closed.ok()) return KeepHead(source, kind, NoteOf(closed), changes);
  Arrivals& arrivals = (*target)->arrivals();
  std::shared_ptr<StoredMessage> moved = Prepared(head, kind, source.description().name);
  if (const auto refusal = arrivals.RefusalOf(*moved, now)) {
    return KeepHead(source, kind, *refusal, changes);
  }
  const ReadyHead taken = from.ExtractHead();
  const StoredMessage& before = *taken.message;
  arrivals.TakeForwarded(std::move(moved), {from.shelf(), before.number, before.facts, taken.from},
                         known, now, changes);
  return Forwarded::kMoved;
}

Status Redrive(Queue& source, const FoundMessage& found, Queue& target, Timestamp now,
               Changes& changes) {
  if (found.standing == Standing::kLocked) {
    return {ErrorCode::kInvalidOperation, "the message is locked"};
  }
  if (!found.is_readable()) return {ErrorCode::kGeneralError, "the message cannot be read"};
  Arrivals& arrivals = target.arrivals();
  WHARF_RETURN_IF_ERROR(arrivals.Check());
  auto moved = std::make_shared<StoredMessage>(*found.message);
  PropertyMap& properties = moved->message.application_properties;
  if (found.delivery.changed_properties) Merge(properties, *found.delivery.changed_properties);
  CountRedrive(properties);
  moved->hops = 0;
  moved->facts.size = StoredSizeOf(*moved);
  WHARF_RETURN_IF_ERROR(arrivals.CheckRedriven(*moved, now));
  Lane& from = source.lane(LaneKind::kDeadLetter);
  from.ExtractFound(found, changes);
  arrivals.TakeRedriven(std::move(moved),
                        {from.shelf(), found.message->number, found.message->facts, found.standing},
                        now, changes);
  return {};
}

}  // namespace wharf
