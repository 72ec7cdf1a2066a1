// QueueParts: what an entity is, its lanes, and the parts that work on them, put together.
//
// Each part knows of the others only what its constructor names; here are the arguments. Made by a
// Queue when something is to be done with it, and gone while it rests; used on the shard's thread.
#pragma once

#include <utility>

#include "broker/core/queue/arrivals.h"
#include "broker/core/queue/by_number.h"
#include "broker/core/queue/dead_letters.h"
#include "broker/core/queue/duplicates.h"
#include "broker/core/queue/entrance.h"
#include "broker/core/queue/expiry.h"
#include "broker/core/queue/holds.h"
#include "broker/core/queue/lanes.h"
#include "broker/core/queue/placement.h"
#include "broker/core/queue/queue_limits.h"
#include "broker/core/queue/quota.h"
#include "broker/core/queue/receiving.h"
#include "broker/core/queue/redelivery.h"
#include "broker/core/queue/scheduled.h"
#include "broker/core/queue/sending.h"
#include "broker/core/queue/session_states.h"
#include "broker/core/queue/sessions.h"
#include "broker/core/queue/settling.h"

namespace wharf {

struct QueueParts {
  // `limits`, `random` and `watches` outlive them.
  QueueParts(EntityRecord record_given, Lane::Image main, Lane::Image dead_letter,
             const QueueLimits& limits, Random& random, Watches& watches)
      : record(std::move(record_given)),
        lanes(record, std::move(main), std::move(dead_letter), limits.lane, watches),
        placement(record, lanes.main()),
        quota(record, lanes.main(), lanes.dead_letter()),
        duplicates(record, lanes.main()),
        holds(record, lanes),
        dead_letters(record, lanes),
        expiry(record, lanes, dead_letters),
        redelivery(record, random, lanes, expiry, dead_letters),
        entrance(record, lanes.main(), quota),
        scheduled(record, lanes.main(), placement, entrance),
        sending(record, lanes.main(), placement, quota, duplicates, entrance, scheduled),
        arrivals(record, lanes, placement, quota, duplicates, entrance),
        receiving(record, limits, random, lanes, holds, expiry),
        settling(record, lanes, holds, dead_letters, redelivery),
        sessions(record, limits, random, lanes, holds, expiry, redelivery),
        session_states(record, lanes, holds, quota),
        by_number(record, lanes, receiving, expiry, dead_letters) {}
  QueueParts(const QueueParts&) = delete;
  QueueParts& operator=(const QueueParts&) = delete;

  EntityRecord record;
  Lanes lanes;
  Placement placement;
  Quota quota;
  Duplicates duplicates;
  Holds holds;
  DeadLetters dead_letters;
  Expiry expiry;
  Redelivery redelivery;
  Entrance entrance;
  Scheduled scheduled;
  Sending sending;
  Arrivals arrivals;
  Receiving receiving;
  Settling settling;
  Sessions sessions;
  SessionStates session_states;
  ByNumber by_number;
};

}  // namespace wharf
