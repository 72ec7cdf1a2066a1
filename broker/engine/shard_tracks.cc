// What is read for the tracks of a lane: levels, or partitions.

#include <utility>

#include <spdlog/spdlog.h>

#include "broker/engine/shard.h"
#include "broker/schema/session_reader.h"

namespace wharf {

void Shard::RefillTracks(Queue& queue, LaneId lane, Turn& turn) {
  Tracks* tracks = queue.lane(lane.kind).tracks();
  if (tracks == nullptr) return;
  for (auto& [track, read] : tracks->NextReads()) {
    ReadAfter(turn,
              [this, shelf = queue.lane(lane.kind).shelf(), track = track,
               read = std::move(read)](const StoreView& view) -> Task {
                return [this, shelf, track,
                        batch = ReadSessionWindow(view, shelf, read)](Turn& later) mutable {
                  TakeTrackRead(shelf, track, std::move(batch), later);
                };
              });
  }
}

// What was read of a shelf that was purged meanwhile is thrown away. What cannot be read is never
// served; its receivers hear why.
void Shard::TakeTrackRead(const Shelf& shelf, Tracks::Id track, Result<SessionReadBatch> batch,
                          Turn& turn) {
  Queue* queue = catalog_.Find(shelf.entity);
  if (queue == nullptr) return;
  Lane& lane = queue->lane(shelf.kind);
  const Status read = batch.status();
  const bool is_current = lane.shelf() == shelf && read.ok();
  lane.tracks()->TakeRead(track, is_current ? *std::move(batch) : SessionReadBatch(ContentBatch{}));
  Touch(shelf.lane());
  if (read.ok()) return;
  spdlog::error("messages of '{}' cannot be read: {}", queue->description().name, read.message());
  dispatcher_.DetachAll(shelf.entity, read, turn);
  forwarder_.NoteUnreadable(shelf.lane(), turn.now);
}

}  // namespace wharf
