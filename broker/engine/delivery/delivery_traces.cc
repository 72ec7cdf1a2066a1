#include "broker/engine/delivery/delivery_traces.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace wharf {
namespace {

// As a caller names it.
std::string PathOf(const Queue& queue, LaneKind kind) {
  std::string path = queue.description().name;
  if (kind == LaneKind::kDeadLetter) path += kDeadLetterSuffix;
  return path;
}

}  // namespace

void NoteHandedOut(const Queue& queue, LaneKind kind, const Delivered& delivered, Turn& turn) {
  if (turn.tracer == nullptr) return;
  const StoredMessage& message = *delivered.message;
  std::optional<trace::Span> span = turn.tracer->Follow(message.message);
  if (!span) return;
  span->kind = trace::SpanKind::kDelivery;
  span->entity = PathOf(queue, kind);
  span->start = turn.now;
  HandedOut handed_out{
      .lane = {queue.id(), kind}, .number = message.number, .span = *std::move(span)};
  const bool is_first =
      kind == LaneKind::kMain && delivered.delivery.count == 0 && !delivered.was_deferred;
  if (is_first) handed_out.waited_since = message.enqueued_at;
  turn.handed_out.push_back(std::move(handed_out));
}

// One turn's changes, in their order: a lock may end in it and another begin on the same message.
class DeliveryTraces::Walk {
 public:
  Walk(DeliveryTraces& traces, Turn& turn, Clock& clock)
      : traces_(traces), now_(turn.now), clock_(clock), handed_out_(std::move(turn.handed_out)) {}

  void operator()(const MessageLocked& change) {
    if (auto next = TakeNext({change.lane.lane(), change.number})) traces_.Open(*std::move(next));
  }
  // Nobody will settle it: it is over when it is durable that it left.
  void operator()(const MessageConsumed& change) {
    const Place place{change.lane.lane(), change.number};
    auto next = TakeNext(place);
    if (!next) return;
    traces_.Open(*std::move(next));
    traces_.End(place, clock_.Now(), "");
  }
  void operator()(const MessageCompleted& change) { End(change, "complete"); }
  void operator()(const MessageDeadLettered& change) {
    traces_.End({change.from_lane.lane(), change.message->number}, now_, "dead_letter");
  }
  void operator()(const MessageReturned& change) { EndReturned(change); }
  void operator()(const MessageDelayed& change) { EndReturned(change); }
  void operator()(const MessageDeferred& change) { EndReturned(change); }
  void operator()(const MessageRemoved& change) {
    traces_.EndLost(PlaceOf(change), now_, "the message is gone, its time was over");
  }
  void operator()(const MessageQuarantined& change) {
    traces_.EndLost(PlaceOf(change), now_, "the message cannot be read any more");
  }
  void operator()(const LanePurged& change) {
    traces_.EndAll([&](LaneId lane) { return lane == change.shelf.lane(); }, now_,
                   "the entity was purged");
  }
  void operator()(const EntityDeleted& change) {
    traces_.EndAll([&](LaneId lane) { return lane.entity == change.id; }, now_,
                   "the entity was deleted");
  }
  // The others neither hand out nor end a lock.
  template <typename Other>
  void operator()(const Other&) {}

 private:
  template <typename Kind>
  static Place PlaceOf(const Kind& change) {
    return {change.lane.lane(), change.number};
  }
  template <typename Kind>
  void End(const Kind& change, std::string_view disposition) {
    traces_.End(PlaceOf(change), now_, disposition);
  }
  template <typename Kind>
  void EndReturned(const Kind& change) {
    switch (change.cause) {
      case ReturnCause::kAbandoned:
        return End(change, "abandon");
      case ReturnCause::kDeferred:
        return End(change, "defer");
      case ReturnCause::kReleased:
        return End(change, "");
      case ReturnCause::kLockExpired:
        return traces_.EndLost(PlaceOf(change), now_, "the time of the lock was over");
    }
  }

  // Messages that are not followed lie between those that are.
  std::optional<HandedOut> TakeNext(const Place& place) {
    if (next_ == handed_out_.size()) return std::nullopt;
    HandedOut& next = handed_out_[next_];
    if (Place{next.lane, next.number} != place) return std::nullopt;
    ++next_;
    traces_.PushWait(next);
    return std::move(next);
  }

  DeliveryTraces& traces_;
  const Timestamp now_;
  Clock& clock_;
  std::vector<HandedOut> handed_out_;
  std::size_t next_ = 0;
};

void DeliveryTraces::Take(Turn& turn, Clock& clock) {
  Walk walk(*this, turn, clock);
  for (const Change& change : turn.changes) std::visit(walk, change);
}

void DeliveryTraces::PushWait(const HandedOut& handed_out) {
  if (!handed_out.waited_since) return;
  trace::Span span = handed_out.span;
  span.kind = trace::SpanKind::kWait;
  span.end = span.start;
  span.start = *handed_out.waited_since;
  tracer_->Push(std::move(span));
}

void DeliveryTraces::Open(HandedOut handed_out) {
  if (open_.size() >= open_max_) return tracer_->NoteLost();
  open_.insert_or_assign({handed_out.lane, handed_out.number}, std::move(handed_out.span));
}

void DeliveryTraces::End(const Place& place, Timestamp now, std::string_view disposition) {
  auto ended = open_.extract(place);
  if (ended.empty()) return;
  ended.mapped().end = now;
  ended.mapped().disposition = disposition;
  tracer_->Push(std::move(ended.mapped()));
}

void DeliveryTraces::EndLost(const Place& place, Timestamp now, std::string_view why) {
  const auto lost = open_.find(place);
  if (lost == open_.end()) return;
  lost->second.error = ErrorCode::kMessageLockLost;
  lost->second.error_message = why;
  End(place, now, "");
}

template <typename IsMeant>
void DeliveryTraces::EndAll(IsMeant is_meant, Timestamp now, std::string_view why) {
  std::vector<Place> meant;
  for (const auto& [place, span] : open_) {
    if (is_meant(place.first)) meant.push_back(place);
  }
  for (const Place& place : meant) EndLost(place, now, why);
}

}  // namespace wharf
