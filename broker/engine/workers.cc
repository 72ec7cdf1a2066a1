#include "broker/engine/workers.h"

#include <utility>
#include <vector>

namespace wharf {

Workers::Workers(const World& world, const ShardLimits& limits, BrokerImage& image,
                 Agenda& agenda_given)
    : clock(world.clock),
      random(world.random),
      agenda(agenda_given),
      catalog(std::move(image.catalog), limits.broker, random),
      topics(catalog, limits.rules, random),
      reads(world.readers, agenda),
      context{catalog, touched, reads, open},
      finder(catalog, open),
      disk(world.disk),
      moves(agenda),
      loose_bodies(random, std::move(image.loose_bodies)),
      sends(context, agenda),
      windows(context, limits.windows_bytes_max),
      dispatcher(
          touched, agenda, {limits.receivers_per_lane_max, limits.locked_per_connection_max},
          [this](LaneId lane, std::vector<LockToken> tokens) {
            agenda.Post([this, lane, tokens = std::move(tokens)](Turn& turn) {
              lock_expiry.ReleaseUnheard(lane, tokens, turn);
            });
          },
          [this](const Receiver& receiver, Timestamp now) { NoteLeft(receiver, now); },
          [this](const BodyRef& body) {
            agenda.Post([body](Turn& turn) { LooseBodies::Drop(body, turn); });
          }),
      sessions(context, finder, agenda, dispatcher, moves, clock),
      lock_expiry(context, moves, sessions),
      reclaimer(context),
      entities(context, finder, topics, reclaimer, registrations, audit, world.check_event_logs,
               world.keeps_unknown_elements),
      forwarder(context, sends, disk),
      sweeper(context, image.due_handled, limits.expiry_grain),
      lost_locks(context, agenda),
      fences(context, topics, sweeper, lost_locks, registrations),
      idle(context, topics, {&dispatcher, &sessions}, entities),
      jobs(context, finder, topics, disk, random, {std::move(image.jobs), image.next_job_id}),
      shared_bodies(context, image.buckets_with_released_bodies),
      transactions(context, finder, topics, moves, disk, random, limits.transactions),
      recounts(context, fences, world.readers),
      access_rules(context, finder, world.keys, image.access_rules, audit,
                   world.keeps_replaced_keys) {
  Register();
}

// Locks end first: what comes back may be delivered, and a session given to another, in this turn.
void Workers::Register() {
  registrations.Add(lock_expiry);
  registrations.Add(dispatcher);
  registrations.Add(sessions);
  registrations.Add(windows);
  registrations.Add(sweeper);
  registrations.Add(idle);
  registrations.Add(jobs);
  registrations.Add(transactions);
  registrations.Add(forwarder);
  registrations.Add(access_rules);
  registrations.Add(closed_waits);
  windows.AddUser(dispatcher);
  windows.AddUser(forwarder);
}

Status Workers::Start(BrokerImage image) {
  WHARF_RETURN_IF_ERROR(topics.Load(image.rules));
  for (Queue* queue : catalog.queues()) {
    if (queue->is_fenced() || queue->is_at_rest()) continue;
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      lock_expiry.NoteDeadline(queue->lane(kind));
    }
    forwarder.Start(*queue);
    sessions.GiveBackOfLinks(*queue);
    const SessionBook* book = queue->lane(LaneKind::kMain).sessions();
    const bool has_expired = book != nullptr && book->has_expired();
    if (has_expired) touched.TouchLater(queue->lane(LaneKind::kMain).id());
  }
  idle.Start(clock.Now(), image.last_committed);
  agenda.Post([this, image = std::move(image)](Turn& turn) mutable { Resume(image, turn); });
  if (loose_bodies.has_orphans()) agenda.Post([this](Turn& turn) { DropOrphans(turn); });
  return {};
}

void Workers::Resume(BrokerImage& image, Turn& turn) {
  lost_locks.Quarantine(std::move(image.lost_locks), turn);
  fences.Start(turn);
  for (const EntityId entity : image.entities_to_reclaim) reclaimer.ReclaimEntity(entity, turn);
  for (const Shelf& shelf : image.shelves_to_reclaim) reclaimer.ReclaimShelf(shelf, turn);
  for (const EntityId entity : image.schedules_to_reclaim) {
    reclaimer.ReclaimScheduled(entity, turn);
  }
  jobs.Start(turn);
  transactions.Start(image.open_transactions, turn);
}

void Workers::DropOrphans(Turn& turn) {
  loose_bodies.DropOrphans(turn);
  if (loose_bodies.has_orphans()) agenda.Post([this](Turn& later) { DropOrphans(later); });
}

// A stream that has no credit left is not in use, unless it waits for a session (ADI-9). Where a
// receiver ends, its lane is touched, or is being matched: so the use is written with the counters
// of this turn, and known after a crash. Here that does not have to be believed. When the shard
// closes, nothing is written any more.
void Workers::NoteLeft(const Receiver& receiver, Timestamp now) {
  const bool has_waited = sessions.NoteLeft(receiver);
  const LaneId lane = receiver.options().lane;
  Queue* queue = catalog.Find(lane.entity);
  if (queue == nullptr || open.is_closed()) return;
  if (receiver.has_credit() || has_waited) touched.NoteUse(*queue, lane, now);
}

}  // namespace wharf
