// Workers: all that plans in the turns of one shard, put together.
//
// Each knows of the others only what its constructor names; here are the arguments. What concerns
// several they are registered for. Handlers of requests get theirs from here, when the pipeline
// makes them. Owned by the Shard, used on its thread.
#pragma once

#include <functional>

#include "broker/core/entities/catalog.h"
#include "broker/engine/background/due_sweeper.h"
#include "broker/engine/background/forwarder.h"
#include "broker/engine/background/idle_watch.h"
#include "broker/engine/background/job_runner.h"
#include "broker/engine/background/reclaimer.h"
#include "broker/engine/background/shared_bodies.h"
#include "broker/engine/delivery/dispatcher.h"
#include "broker/engine/delivery/lock_expiry.h"
#include "broker/engine/delivery/session_desk.h"
#include "broker/engine/delivery/windows.h"
#include "broker/engine/entities/access_rules.h"
#include "broker/engine/entities/audit_log.h"
#include "broker/engine/entities/closed_waits.h"
#include "broker/engine/entities/entities.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/entities/fences.h"
#include "broker/engine/entities/lost_locks.h"
#include "broker/engine/entities/recounts.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/loose_bodies.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/sending/send_line.h"
#include "broker/engine/sending/transactions.h"
#include "broker/engine/shard_limits.h"
#include "broker/engine/turn/agenda.h"
#include "broker/engine/turn/open_state.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/store_reads.h"
#include "broker/engine/turn/touched_lanes.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/readers.h"
#include "broker/schema/loader.h"
#include "broker/topics/topics.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "storage/disk/disk_gate.h"

namespace wharf {

struct Workers {
  // What they need of the world; all of it outlives them.
  struct World {
    Clock& clock;
    Random& random;
    const Readers& readers;
    // Whether the disk has room for more messages. Null: it has.
    const DiskGate* disk;
    // Where new keys come from.
    access::KeySource keys;
    // Why entities must not have event logs yet; or OK. Null: they may.
    std::function<Status()> check_event_logs{};
    // Whether entities keep unknown elements. Null: they do.
    std::function<bool()> keeps_unknown_elements{};
    // Whether rules of access remember their replaced keys. Null: they do.
    std::function<bool()> keeps_replaced_keys{};
  };

  // Takes from the image what they work with; the rest is for Start. `limits` and `agenda` outlive
  // them.
  Workers(const World& world, const ShardLimits& limits, BrokerImage& image, Agenda& agenda);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Goes on with what was under way when the broker ended. Fails if a rule is damaged.
  Status Start(BrokerImage image);

  Clock& clock;
  Random& random;
  Agenda& agenda;
  Catalog catalog;
  Topics topics;
  TouchedLanes touched;
  OpenState open;
  StoreReads reads;
  Registrations registrations;
  const WorkerContext context;
  const EntityFinder finder;
  const DiskRoom disk;

  // Each worker after those that it knows of.
  MoveLine moves;
  LooseBodies loose_bodies;
  AuditLog audit;
  SendLine sends;
  Windows windows;
  Dispatcher dispatcher;
  SessionDesk sessions;
  LockExpiry lock_expiry;
  Reclaimer reclaimer;
  Entities entities;
  Forwarder forwarder;
  DueSweeper sweeper;
  LostLocks lost_locks;
  Fences fences;
  IdleWatch idle;
  JobRunner jobs;
  SharedBodies shared_bodies;
  Transactions transactions;
  Recounts recounts;
  AccessRules access_rules;
  ClosedWaits closed_waits;

 private:
  // Which workers take part in what concerns several, in the order in which they are asked.
  void Register();
  void Resume(BrokerImage& image, Turn& turn);
  // What the last life of the broker left without a message goes, a step at a time.
  void DropOrphans(Turn& turn);
  // What a receiver held of sessions comes back in a later turn.
  void NoteLeft(const Receiver& receiver, Timestamp now);
};

}  // namespace wharf
