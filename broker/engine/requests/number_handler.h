// NumberHandler: plans what is asked of messages by their numbers, and the deletion of the oldest:
// read first, then planned with what did not change meanwhile.
//
// Owned by the pipeline, used on the shard's thread.
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"
#include "broker/core/changes/watch.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/delivery/holders.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/requests/asked.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/peek_reader.h"
#include "broker/requests/number_requests.h"

namespace wharf {

class NumberHandler {
 public:
  NumberHandler(const WorkerContext& context, const EntityFinder& finder, Holders& holders)
      : context_(context), finder_(finder), holders_(holders) {}

  void Plan(Asked<ReceiveDeferredRequest> asked, Turn& turn);
  void Plan(Asked<UndeferRequest> asked, Turn& turn);
  void Plan(Asked<ReceiveOneRequest> asked, Turn& turn);
  void Plan(Asked<SettleOneRequest> asked, Turn& turn);
  void Plan(Asked<DeleteOldestRequest> asked, Turn& turn);

 private:
  using Then = absl::AnyInvocable<void(Result<EntityFinder::Target>, FoundMessages, Turn&)>;
  // A request whose messages are read.
  struct Lookup {
    EntityRef entity;
    Numbers numbers;
    bool with_bodies = false;
    Then then;
  };
  void LookUp(Lookup lookup, Turn& turn);
  void Read(std::shared_ptr<Lookup> lookup, Turn& turn);
  // Hands out what `receive` does, if the connection may lock so many more.
  template <typename Request, typename Receive>
  Result<std::vector<Delivered>> ReceiveAs(const Asked<Request>& asked,
                                           const Result<EntityFinder::Target>& target,
                                           std::size_t count, Receive receive, Turn& turn);

  // A deletion on its way through its lane.
  struct Deletion {
    Asked<DeleteOldestRequest> asked;
    SequenceNumber position{};
    std::size_t deleted = 0;
    std::size_t looked_at = 0;
  };
  void Delete(std::shared_ptr<Deletion> deletion, Turn& turn);
  void DeletePage(std::shared_ptr<Deletion> deletion, const Shelf& shelf, Result<ScanPage> page,
                  const PageWatch& watch, Turn& turn);
  static void EndDeletion(Deletion deletion, const Status& status, Turn& turn);

  const WorkerContext context_;
  const EntityFinder& finder_;
  Holders& holders_;
};

}  // namespace wharf
