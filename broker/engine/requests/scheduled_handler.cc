#include "broker/engine/requests/scheduled_handler.h"

#include <algorithm>
#include <utility>

#include "broker/reading/scheduled_reader.h"

namespace wharf {
namespace {

// A page of a list.
constexpr std::size_t kListMax = 250;

}  // namespace

void ScheduledHandler::LookUp(Lookup lookup, Turn& turn) {
  Read(std::make_shared<Lookup>(std::move(lookup)), turn);
}

// Reads again for as long as others change what was read.
void ScheduledHandler::Read(std::shared_ptr<Lookup> lookup, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(lookup->entity);
  if (!target.ok()) return lookup->then(target.status(), {}, turn);
  lookup->entity.lane = target->lane;
  NumberWatch watch = context_.catalog.BeginWatch(target->lane, lookup->numbers);
  context_.reads.ReadAfter(
      turn,
      [this, lane = target->lane, lookup = std::move(lookup),
       watch = std::move(watch)](const StoreView& view) mutable -> Task {
        Result<FoundScheduled> found = ReadScheduled(view, lane.entity, lookup->numbers);
        return [this, lane, lookup = std::move(lookup), watch = std::move(watch),
                found = std::move(found)](Turn& later) mutable {
          Result<Queue*> queue = finder_.FindOpen(lane.entity);
          if (queue.ok() && !found.ok()) queue = found.status();
          if (!queue.ok()) return lookup->then(std::move(queue), {}, later);
          if (watch.saw_any()) return Read(std::move(lookup), later);
          const SequenceNumber floor = (*queue)->lane(LaneKind::kMain).counters().scheduled_floor;
          const auto is_gone = [floor](const auto& entry) { return entry.first < floor; };
          absl::erase_if(found->messages, is_gone);
          absl::erase_if(found->unreadable, is_gone);
          context_.touched.Touch(lane);
          lookup->then(std::move(queue), *std::move(found), later);
        };
      });
}

void ScheduledHandler::Plan(Asked<CancelScheduledRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  Numbers numbers = asked.request.numbers;
  LookUp({std::move(entity), std::move(numbers),
          [asked = std::move(asked)](Result<Queue*> queue, const FoundScheduled& found,
                                     Turn& later) mutable {
            Reply(later, std::move(asked.answer),
                  Done(queue.ok() ? (*queue)->scheduled().Cancel(asked.request.numbers, found,
                                                                 later.now, later.changes)
                                  : queue.status()));
          }},
         turn);
}

void ScheduledHandler::Plan(Asked<RescheduleRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  Numbers numbers = asked.request.numbers;
  LookUp({std::move(entity), std::move(numbers),
          [asked = std::move(asked)](Result<Queue*> queue, const FoundScheduled& found,
                                     Turn& later) mutable {
            Reply(later, std::move(asked.answer),
                  Done(queue.ok() ? (*queue)->scheduled().Reschedule(asked.request.numbers,
                                                                     asked.request.time, found,
                                                                     later.now, later.changes)
                                  : queue.status()));
          }},
         turn);
}

void ScheduledHandler::Plan(Asked<ActivateScheduledRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  Numbers numbers = asked.request.numbers;
  LookUp({std::move(entity), std::move(numbers),
          [asked = std::move(asked)](Result<Queue*> queue, const FoundScheduled& found,
                                     Turn& later) mutable {
            Reply(later, std::move(asked.answer),
                  queue.ok() ? (*queue)->scheduled().Activate(asked.request.numbers, found,
                                                              later.now, later.changes)
                             : Result<Numbers>(queue.status()));
          }},
         turn);
}

void ScheduledHandler::Plan(Asked<ListScheduledRequest> asked, Turn& turn) {
  const ListScheduledRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<ScheduledPage>(target.status()));
  }
  context_.touched.NoteUse(*target->queue, target->lane, turn.now);
  const ScheduledListing listing{
      .entity = target->lane.entity,
      .from = request.from,
      .floor = target->queue->lane(LaneKind::kMain).counters().scheduled_floor,
      .messages_max = std::clamp<std::size_t>(request.messages_max, 1, kListMax),
      .bytes_max = request.bytes_max,
      .bodies = request.without_bodies ? Bodies::kLeave : Bodies::kLoad};
  from_store_.Reply(turn, std::move(asked.answer),
                    [listing](const StoreView& view) { return ListScheduled(view, listing); });
}

}  // namespace wharf
