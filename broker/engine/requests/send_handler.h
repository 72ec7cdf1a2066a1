// SendHandler: plans sends.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/send_line.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/send_requests.h"
#include "broker/topics/topics.h"

namespace wharf {

class SendHandler {
 public:
  SendHandler(const WorkerContext& context, const EntityFinder& finder, const Topics& topics,
              SendLine& sends, DiskRoom disk, Tasks& tasks)
      : context_(context),
        finder_(finder),
        topics_(topics),
        sends_(sends),
        disk_(disk),
        tasks_(tasks) {}

  void Plan(Asked<SendRequest> asked, Turn& turn);

 private:
  // A send that is planned as far as the turns have room.
  struct Sending {
    LaneId lane;
    bool atomic = false;
    std::optional<std::int64_t> encoded_bytes;
    std::size_t count = 0;
    std::vector<Message> messages;
    Answer<SendReceipt> answer;
    // How many of its messages are planned, and what became of each.
    std::size_t planned = 0;
    SendReceipt receipt = {};
    // Copies that its last slice may have made.
    std::size_t slice_copies = 0;
    // Who sends, in later turns.
    ActorPtr actor{};
  };

  Status CheckAtOnce(const Queue& queue, const SendRequest& request, Timestamp now) const;
  void PlanInLine(Queue& queue, Sending sending, Turn& turn);
  void Begin(Sending sending, Turn& turn);
  // Whether it is over: all is planned, or refused, and answered.
  bool PlanSlice(Sending& sending, Turn& turn);
  // Its next slice is planned in a turn of its own, when there is room on the way to the disk.
  void GoOnLater(Sending sending, Turn& turn);
  void PostWaiting();
  static std::vector<Message> TakeSlice(Sending& sending, std::size_t count);
  // How many of its messages the turn has room for, at least one.
  std::size_t SliceOf(const Sending& sending, const Queue& queue, const Turn& turn) const;
  void RefuseRest(Sending sending, const Status& reason, Turn& turn);

  const WorkerContext context_;
  const EntityFinder& finder_;
  const Topics& topics_;
  SendLine& sends_;
  const DiskRoom disk_;
  Tasks& tasks_;
  // Sends that go on when there is room.
  std::deque<Sending> waiting_;
  // Of slices behind which a send goes on, and that are not committed: copies.
  std::size_t under_way_ = 0;
  bool is_posted_ = false;
};

}  // namespace wharf
