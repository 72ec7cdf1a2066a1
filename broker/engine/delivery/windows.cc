#include "broker/engine/delivery/windows.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/reading/session_reader.h"
#include "storage/base/log_fields.h"

namespace wharf {

void Windows::Refill(Queue& queue, LaneId lane, bool is_wanted, Turn& turn) {
  RefillWindow(queue, lane, is_wanted, turn);
  if (is_wanted) RefillTracks(queue, lane, turn);
}

void Windows::RefillWindow(Queue& queue, LaneId lane, bool is_wanted, Turn& turn) {
  std::optional<WindowRead> read = queue.lane(lane.kind).NextRead(is_wanted);
  if (!read) return;
  const Place place{queue.lane(lane.kind).shelf(), queue.lane(lane.kind).life()};
  context_.reads.ReadAfter(
      turn, [this, place, read = *std::move(read)](const StoreView& view) -> Task {
        return [this, place, batch = ReadWindow(view, place.shelf, read)](Turn& later) mutable {
          TakeWindowRead(place, std::move(batch), later);
        };
      });
}

// Null if what was read there is of a life that is over.
Queue* Windows::FindAlive(const Place& place) const {
  Queue* queue = context_.catalog.Find(place.shelf.entity);
  const bool is_alive = queue != nullptr && queue->lane(place.shelf.kind).life() == place.life;
  return is_alive ? queue : nullptr;
}

// What was read of a shelf that was purged meanwhile is thrown away.
void Windows::TakeWindowRead(const Place& place, Result<WindowBatch> batch, Turn& turn) {
  const Shelf& shelf = place.shelf;
  Queue* queue = FindAlive(place);
  if (queue == nullptr) return;
  Lane& lane = queue->lane(shelf.kind);
  const Status read = batch.status();
  const bool is_current = lane.shelf() == shelf && read.ok();
  lane.TakeRead(is_current ? *std::move(batch) : WindowBatch(ContentBatch{}), turn.now,
                turn.changes);
  context_.touched.Touch(shelf.lane());
  if (lane.shelf() == shelf && !read.ok()) TellUnreadable(*queue, shelf.lane(), read, turn);
}

void Windows::RefillTracks(Queue& queue, LaneId lane, Turn& turn) {
  Tracks* tracks = queue.lane(lane.kind).tracks();
  if (tracks == nullptr) return;
  for (auto& [track, read] : tracks->NextReads()) {
    context_.reads.ReadAfter(
        turn,
        [this, place = Place{queue.lane(lane.kind).shelf(), queue.lane(lane.kind).life()},
         track = track, read = std::move(read)](const StoreView& view) -> Task {
          return [this, place, track, batch = ReadSessionWindow(view, place.shelf, read)](
                     Turn& later) mutable { TakeTrackRead(place, track, std::move(batch), later); };
        });
  }
}

void Windows::TakeTrackRead(const Place& place, Tracks::Id track, Result<SessionReadBatch> batch,
                            Turn& turn) {
  const Shelf& shelf = place.shelf;
  Queue* queue = FindAlive(place);
  if (queue == nullptr) return;
  Lane& lane = queue->lane(shelf.kind);
  const Status read = batch.status();
  const bool is_current = lane.shelf() == shelf && read.ok();
  lane.TakeTrackRead(track, is_current ? *std::move(batch) : SessionReadBatch(ContentBatch{}),
                     turn.now, turn.changes);
  context_.touched.Touch(shelf.lane());
  if (lane.shelf() == shelf && !read.ok()) TellUnreadable(*queue, shelf.lane(), read, turn);
}

// What cannot be read is never served.
void Windows::TellUnreadable(const Queue& queue, LaneId lane, const Status& reason, Turn& turn) {
  const LogFields about({{"entity", queue.description().name}});
  spdlog::error("messages of '{}' cannot be read: {}", queue.description().name, reason.message());
  for (WindowUser* user : users_) user->OnUnreadable(lane, reason, turn);
}

void Windows::NoteMemory(LaneId lane, std::size_t bytes) {
  std::size_t& known = bytes_of_[lane];
  bytes_ += bytes - known;
  known = bytes;
  if (bytes == 0) bytes_of_.erase(lane);
}

void Windows::OnEntityDeleted(EntityId entity, const Status& /*reason*/, Turn& /*turn*/) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter})
    NoteMemory({entity, kind}, 0);
}

void Windows::Bound() {
  if (bytes_ <= bytes_max_) return;
  for (auto it = bytes_of_.begin(); it != bytes_of_.end();) {
    const auto [lane, bytes] = *it;
    const auto current = it++;
    const auto needs = [lane = lane](const WindowUser* user) { return user->NeedsWindow(lane); };
    if (std::any_of(users_.begin(), users_.end(), needs)) continue;
    context_.catalog.Find(lane.entity)->lane(lane.kind).DropWindow();
    bytes_ -= bytes;
    bytes_of_.erase(current);
  }
}

}  // namespace wharf
