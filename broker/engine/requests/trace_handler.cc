#include "broker/engine/requests/trace_handler.h"

#include <optional>
#include <utility>

#include "broker/core/queue/gates.h"

namespace wharf {
namespace {

// Of one page.
constexpr std::size_t kEntitiesMax = 64;
constexpr std::size_t kRowsMax = 4096;
constexpr std::size_t kPlacesMax = 64;
constexpr std::size_t kPlacesBytesMax = std::size_t{1} << 20;

std::string LanePath(const Queue& queue, LaneKind lane) {
  std::string path = queue.description().name;
  if (lane == LaneKind::kDeadLetter) path += kDeadLetterSuffix;
  return path;
}

// Of what is in a lane and nobody holds.
MessageWait WaitInLane(const Queue& queue, LaneKind kind, const StoredMessage& message,
                       Timestamp now) {
  if (message.facts.expires_at <= now) return MessageWait::kExpiry;
  if (queue.forwards_to(kind)) return MessageWait::kForwarding;
  if (!queue.description().can_receive()) return MessageWait::kEntityStatus;
  const SessionBook* sessions = queue.lane(kind).sessions();
  if (sessions == nullptr) return MessageWait::kReceiver;
  const Session* session = sessions->Find(message.facts.session_id);
  return session != nullptr && session->is_held() ? MessageWait::kSessionLock
                                                  : MessageWait::kSession;
}

MessageWait WaitOf(const Queue& queue, const FoundPlace& found, Timestamp now) {
  const PeekedMessage& peeked = found.peeked;
  if (peeked.is_scheduled) return MessageWait::kScheduledTime;
  switch (peeked.standing) {
    case Standing::kDeferred:
      return MessageWait::kDeferred;
    case Standing::kQuarantined:
      return MessageWait::kQuarantine;
    case Standing::kDelayed:
      if (peeked.available_at > now) return MessageWait::kDelay;
      break;
    case Standing::kFresh:
    case Standing::kReturned:
    case Standing::kLocked:
      break;
  }
  return WaitInLane(queue, found.lane, *peeked.message, now);
}

// Who asked for it is for those alone who may see what others did.
MessageEvent Seen(const FoundEvent& found, const std::string& path, const Asker& asker) {
  MessageEvent event = found.event;
  event.path = path;
  if (found.lane == LaneKind::kDeadLetter) event.path += kDeadLetterSuffix;
  if (!asker.sees_all) event.actor = {};
  return event;
}

// As far as that is in memory.
bool IsNext(Queue& queue, const FoundPlace& found) {
  const StoredMessage* head = queue.receiving().Head({.kind = found.lane});
  return head != nullptr && head->number == found.peeked.message->number;
}

}  // namespace

// In the order of their folded paths, from the place on where the page begins.
Result<std::vector<Queue*>> TraceHandler::EntitiesOf(const TraceRequest& request) const {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  const std::string& from = request.from.path;
  if (request.entity.path.empty()) return context_.catalog.ListFrom(from, "", kEntitiesMax);
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(request.entity);
  if (!target.ok()) return target.status();
  const std::string path = FoldPath(target->queue->description().name);
  std::vector<Queue*> entities;
  if (target->queue->kind() == EntityKind::kTopic) {
    const std::string subscriptions = FoldPath(SubscriptionPath(path, ""));
    entities = context_.catalog.ListFrom(from, subscriptions, kEntitiesMax);
  }
  if (from <= path) entities.insert(entities.begin(), target->queue);
  return entities;
}

// Fills in which entity is which.
TraceRange TraceHandler::RangeOf(const std::vector<Queue*>& entities, Timestamp now, Page& page) {
  const TracePosition& from = page.asked.request.from;
  TraceRange range{.entities = {},
                   .wanted = page.asked.request.wanted,
                   .part = EntityPart::kMain,
                   .from = {},
                   .rows_max = kRowsMax,
                   .found_max = kPlacesMax,
                   .found_bytes_max = kPlacesBytesMax,
                   .now = now};
  for (const Queue* each : entities) {
    const std::string& path = each->name();
    page.last_path = FoldPath(path);
    const bool is_first = page.last_path == from.path;
    if (is_first && from.part == EntityPart::kEnd) continue;
    if (each->is_fenced()) {
      page.fenced.push_back(path);
      continue;
    }
    // One that was deleted since the page before has no place to go on.
    if (is_first) {
      range.part = from.part;
      range.from = from.number;
      range.followed = from.followed;
    }
    page.named.push_back({each->id(), page.last_path, path});
    range.entities.push_back({each->shelf(LaneKind::kMain), each->shelf(LaneKind::kDeadLetter),
                              each->counters(LaneKind::kMain).scheduled_floor,
                              each->settings().requires_duplicate_detection});
    if (each->settings().has_event_log()) {
      range.entities.back().event_log = each->description().event_log_retention;
    }
  }
  return range;
}

void TraceHandler::Plan(Asked<TraceRequest> asked, Turn& turn) {
  const Result<std::vector<Queue*>> entities = EntitiesOf(asked.request);
  if (!entities.ok()) {
    return Reply(turn, std::move(asked.answer), Result<TracePage>(entities.status()));
  }
  Page page{.asked = std::move(asked)};
  page.has_more = entities->size() >= kEntitiesMax;
  TraceRange range = RangeOf(*entities, turn.now, page);
  context_.reads.ReadAfter(turn,
                           [this, range = std::move(range),
                            page = std::move(page)](const StoreView& view) mutable -> Task {
                             auto found = ReadTrace(view, std::move(range));
                             return [this, page = std::move(page),
                                     found = std::move(found)](Turn& later) mutable {
                               Tell(std::move(page), found, later);
                             };
                           });
}

void TraceHandler::Tell(Page page, const Result<TraceFindings>& found, Turn& turn) const {
  Status failed = context_.open.Check();
  if (failed.ok()) failed = found.status();
  if (!failed.ok()) {
    return Reply(turn, std::move(page.asked.answer), Result<TracePage>(failed));
  }
  TracePage told;
  told.looked_at = found->looked_at;
  told.has_untold = found->has_untold;
  told.damaged_places = found->damaged_places;
  told.entities = found->done;
  for (const FoundPlace& each : found->places) {
    Queue* queue = context_.catalog.Find(page.named[each.entity].id);
    if (queue == nullptr) continue;  // Deleted meanwhile.
    told.places.push_back(PlaceOf(*queue, each, page.asked.asker, turn.now));
  }
  for (const FoundId& each : found->remembered) {
    if (each.forget_after <= turn.now) continue;
    told.remembered.push_back({page.named[each.entity].path, each.number, each.forget_after});
  }
  for (const FoundEvent& each : found->events) {
    told.events.push_back(Seen(each, page.named[each.entity].path, page.asked.asker));
  }
  if (found->done < page.named.size()) {
    told.next = {page.named[found->done].folded_path, found->part, found->from, found->followed};
    // The next page comes to those behind it.
    const auto is_behind = [&](const std::string& path) {
      return FoldPath(path) > told.next->path;
    };
    std::erase_if(page.fenced, is_behind);
  } else if (page.has_more) {
    told.next = {std::move(page.last_path), EntityPart::kEnd, {}, {}};
  }
  told.fenced = std::move(page.fenced);
  from_store_.Reply(turn, std::move(page.asked.answer),
                    [told = std::move(told)](const StoreView&) mutable -> Result<TracePage> {
                      return std::move(told);
                    });
}

MessagePlace TraceHandler::PlaceOf(Queue& queue, const FoundPlace& found, const Asker& asker,
                                   Timestamp now) const {
  MessagePlace place{.path = LanePath(queue, found.lane), .peeked = found.peeked};
  place.wait = WaitOf(queue, found, now);
  if (found.peeked.standing == Standing::kLocked) AddLock(queue, found, asker, now, place);
  if (place.wait == MessageWait::kSessionLock) AddSessionLock(queue, found, asker, place);
  if (place.wait == MessageWait::kReceiver) place.is_next = IsNext(queue, found);
  if (place.wait == MessageWait::kForwarding) place.forward_to = *queue.forwards_to(found.lane);
  if (!found.peeked.is_scheduled) {
    place.jobs = jobs_.Awaited({queue.id(), found.lane}, found.peeked.message->number, asker);
  }
  return place;
}

// One that has ended since the reader looked holds nothing.
void TraceHandler::AddLock(const Queue& queue, const FoundPlace& found, const Asker& asker,
                           Timestamp now, MessagePlace& place) const {
  const Lock* lock = queue.lane(found.lane).locks().Find(found.token, now);
  if (lock == nullptr) return;
  place.wait = MessageWait::kLock;
  place.locked_since = lock->owner.since;
  place.locked_until = lock->until;
  if (!asker.sees_all) return;
  const std::optional<HolderInfo> holder = holders_.Describe(lock->owner.holder, /*left=*/0);
  if (holder) place.locked_by = holder->peer;
}

void TraceHandler::AddSessionLock(const Queue& queue, const FoundPlace& found, const Asker& asker,
                                  MessagePlace& place) {
  const SessionBook& sessions = *queue.lane(found.lane).sessions();
  const Session& session = *sessions.Find(found.peeked.message->facts.session_id);
  place.locked_since = session.since();
  place.locked_until = session.until();
  if (asker.sees_all && session.holder() != nullptr) place.locked_by = session.holder()->peer;
}

}  // namespace wharf
