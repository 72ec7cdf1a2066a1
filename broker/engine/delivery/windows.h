// Windows: what of each lane's head is in memory.
//
// Somebody wants more than there is: it is read. Windows that nobody needs are dropped when all of
// them together hold too much. Owned by the Shard, used on its thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/order/tracks.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/message_reader.h"

namespace wharf {

// Takes messages from the heads of lanes.
class WindowUser {
 public:
  virtual ~WindowUser() = default;
  // What the lane has in memory must stay there.
  virtual bool NeedsWindow(LaneId lane) const = 0;
  // Messages of the lane cannot be read, and are not served.
  virtual void OnUnreadable(LaneId lane, const Status& reason, Turn& turn) = 0;
};

class Windows final : public EntityEndListener {
 public:
  // `bytes_max` of memory for all lanes; what is needed may be more.
  Windows(const WorkerContext& context, std::size_t bytes_max)
      : context_(context), bytes_max_(bytes_max) {}

  // It outlives this.
  void AddUser(WindowUser& user) { users_.push_back(&user); }

  // Reads what the lane lacks. `is_wanted`: a receiver or the forwarder would take it.
  void Refill(Queue& queue, LaneId lane, bool is_wanted, Turn& turn);
  // What the lane has in memory now.
  void NoteMemory(LaneId lane, std::size_t bytes);
  // Once a turn.
  void Bound();
  // Of all lanes. Any thread.
  std::size_t bytes() const { return bytes_; }

  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;

 private:
  // Where something is read, and in which life of the lane.
  struct Place {
    Shelf shelf;
    std::uint32_t life;
  };

  Queue* FindAlive(const Place& place) const;
  void RefillWindow(Queue& queue, LaneId lane, bool is_wanted, Turn& turn);
  void TakeWindowRead(const Place& place, Result<WindowBatch> batch, Turn& turn);
  void RefillTracks(Queue& queue, LaneId lane, Turn& turn);
  void TakeTrackRead(const Place& place, Tracks::Id track, Result<SessionReadBatch> batch,
                     Turn& turn);
  void TellUnreadable(const Queue& queue, LaneId lane, const Status& reason, Turn& turn);

  const WorkerContext context_;
  const std::size_t bytes_max_;
  std::vector<WindowUser*> users_;
  // Of lanes that have any.
  absl::flat_hash_map<LaneId, std::size_t> bytes_of_;
  // Read on any thread.
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace wharf
