#include "broker/engine/requests/peek_handler.h"

#include <algorithm>
#include <utility>

#include "broker/reading/body_reader.h"
#include "broker/reading/peek_reader.h"
#include "broker/reading/quarantine_reader.h"

namespace wharf {
namespace {

constexpr std::size_t kPeekMax = 250;

}  // namespace

// A reader makes the filter ready: a long one takes its time.
void PeekHandler::Plan(Asked<PeekRequest> asked, Turn& turn) {
  PeekRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<PeekPage>(target.status()));
  }
  touched_.NoteUse(*target->queue, target->lane, turn.now);
  PeekRange range{target->queue->lane(target->lane.kind).shelf(),
                  request.from,
                  target->queue->lane(LaneKind::kMain).counters().scheduled_floor,
                  request.filter,
                  std::clamp<std::size_t>(request.messages_max, 1, kPeekMax),
                  request.bytes_max,
                  std::move(request.session_id)};
  if (request.without_bodies) range.bodies = Bodies::kLeave;
  range.has_quarantined = target->queue->lane(target->lane.kind).counters().quarantined > 0;
  if (!request.sql_filter.empty()) range.condition.seed = random_.Next();
  from_store_.Reply(turn, std::move(asked.answer),
                    [range = std::move(range), text = std::move(request.sql_filter)](
                        const StoreView& view) mutable -> Result<PeekPage> {
                      auto filter = PageCondition::FilterOf(std::move(text));
                      if (!filter.ok()) return filter.status();
                      range.condition.filter = *std::move(filter);
                      return ReadPeek(view, range);
                    });
}

void PeekHandler::Plan(Asked<PeekBodyRequest> asked, Turn& turn) {
  const PeekBodyRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<BodyPiece>(target.status()));
  }
  touched_.NoteUse(*target->queue, target->lane, turn.now);
  from_store_.Reply(
      turn, std::move(asked.answer),
      [range = BodyRange{target->queue->lane(target->lane.kind).shelf(), request.number,
                         target->queue->lane(LaneKind::kMain).counters().scheduled_floor,
                         request.from, request.bytes_max, target->queue->description().name}](
          const StoreView& view) { return ReadBodyPiece(view, range); });
}

// No use of the entity: an operator looks at what its users cannot have.
void PeekHandler::Plan(Asked<ExportOneRequest> asked, Turn& turn) {
  const ExportOneRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<QuarantineExport>(target.status()));
  }
  from_store_.Reply(
      turn, std::move(asked.answer),
      [range = ExportRange{target->queue->lane(target->lane.kind).shelf(), request.number,
                           request.from_row, request.bytes_max, target->queue->description().name}](
          const StoreView& view) { return ReadQuarantine(view, range); });
}

}  // namespace wharf
