// Registrations: which workers take part in what concerns several workers.
//
// A worker implements what it takes part in, and the Shard registers it once. The order of
// registrations is the order in which they are asked. On the shard's thread.
#pragma once

#include <type_traits>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

// Has something to do at a time that it knows.
class TimedWorker {
 public:
  virtual ~TimedWorker() = default;
  // Plans what is due when the turn starts. What does not fit into the turn stays due.
  virtual void PlanDue(Turn& turn) = 0;
  // When there is something to plan; kNever if that depends on something else.
  virtual Timestamp next_deadline() const = 0;
};

// Has work under way that was due, so that it may not be done when nothing is due any more.
class BusyWorker {
 public:
  virtual ~BusyWorker() = default;
  virtual bool is_busy() const = 0;
};

// Hears of each entity that is new or has another description, and of a topic that may take
// messages now that it did not take before.
class EntityListener {
 public:
  virtual ~EntityListener() = default;
  virtual void OnEntityChanged(Queue& queue, Turn& turn) = 0;
};

// Hears of each entity that was deleted, or fenced: there is no work on its messages any more. The
// catalog does not find it.
class EntityEndListener {
 public:
  virtual ~EntityEndListener() = default;
  virtual void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) = 0;
};

class Registrations {
 public:
  // For everything that the worker implements; it outlives this.
  template <typename Worker>
  void Add(Worker& worker) {
    if constexpr (std::is_base_of_v<TimedWorker, Worker>) timed_.push_back(&worker);
    if constexpr (std::is_base_of_v<BusyWorker, Worker>) busy_.push_back(&worker);
    if constexpr (std::is_base_of_v<EntityListener, Worker>) changes_.push_back(&worker);
    if constexpr (std::is_base_of_v<EntityEndListener, Worker>) ends_.push_back(&worker);
  }

  void PlanDue(Turn& turn);
  Timestamp next_deadline() const;
  // Something is due, or was and is on its way.
  bool HasDue(Timestamp now) const;
  void TellChanged(Queue& queue, Turn& turn);
  void TellDeleted(EntityId entity, const Status& reason, Turn& turn);

 private:
  std::vector<TimedWorker*> timed_;
  std::vector<BusyWorker*> busy_;
  std::vector<EntityListener*> changes_;
  std::vector<EntityEndListener*> ends_;
};

}  // namespace wharf
