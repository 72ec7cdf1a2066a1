// Upload: one message on its way in whose body comes in pieces.
//
// The header is checked at once; the body goes to the store as it comes, in rows of its own, and
// the message is planned when the last row is. The log keeps order, so no message is ever durable
// without its body, and what is sent behind the last piece is planned behind the message (SND-4). A
// body that may be held in memory is gathered here and sent as any other; one whose length is not
// known goes to the store when it has become too long for that. An upload that fails is answered
// once; what still comes of it is ignored.
//
// Made by the pipeline for a door, which gives it the pieces from one thread at a time and lets go
// of it when all are given or it has failed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/loose_bodies.h"
#include "broker/engine/sending/send_line.h"
#include "broker/engine/turn/admissions.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/answer.h"
#include "broker/requests/attachments.h"
#include "broker/requests/caller.h"
#include "broker/requests/send_requests.h"
#include "broker/topics/topics.h"
#include "storage/base/clock.h"

namespace wharf {

class Upload final : public UploadHandle,
                     public std::enable_shared_from_this<Upload>,
                     public LooseBodies::Arriving {
 public:
  // A row left memory; on the shard's thread, once for each row that Write announced.
  using RowStored = std::function<void()>;

  // What it works with; all but the tasks on the shard's thread only.
  struct World {
    Tasks& tasks;
    Clock& clock;
    WorkerContext context;
    const EntityFinder& finder;
    const Topics& topics;
    DiskRoom disk;
    LooseBodies& loose_bodies;
    SendLine& sends;
  };

  Upload(const World& world, const Caller& caller, const UploadRequest& request,
         RowStored row_stored, Answer<SendOutcome> receipt);

  // First of all. `message` has no body.
  void Begin(EntityRef entity, Message message, Admission admission);
  // It was not admitted: first of all and last.
  void Refuse(Status reason);

  std::size_t Write(std::string bytes) override;
  void End(Message message) override;
  void Fail(Status reason) override;
  bool is_over() const override { return is_over_; }

 private:
  // As far as it is known.
  std::uint64_t body_bytes() const { return body_bytes_.value_or(written_bytes_); }
  bool is_held() const { return body_bytes() <= kHeldBodyBytesMax; }
  bool is_complete() const { return body_bytes_ == written_bytes_; }
  bool ends_with_body() const { return !ends_apart_ && is_complete(); }
  void PostRow(std::string row);
  // `message`: as it is in the end, if it was not known before.
  void PostFinish(std::optional<Message> message = std::nullopt);

  // On the shard's thread.
  bool is_slow(Timestamp now) const override;
  void GiveWay(Turn& turn) override;
  void NoteStored();
  void PlanBegin(const EntityRef& entity, Message message, Turn& turn);
  Result<EntityId> Open(const EntityRef& entity, Turn& turn);
  Status NameBody(EntityId entity, Turn& turn);
  void NoteUse(Turn& turn);
  void PlanRow(std::string row, Turn& turn);
  // Of one whose length is not known: what has come is not too much.
  Status TakeOpenRow(const Queue& queue, std::size_t row_bytes, Turn& turn);
  // `rest`: all of a body that is held; of a body in rows the last one, if it is not there yet.
  void PlanFinish(std::string rest, Turn& turn);
  void PlanMessage(std::string held_body, const Result<KnownIds*>& known, Turn& turn);
  Result<SendOutcome> SendMessage(Queue& queue, std::string held_body, KnownIds& known, Turn& turn);
  // Nobody wants the body: its chunks go.
  void DropBody(Turn& turn);
  // That its copies for subscriptions are not too much for one commit.
  Status CheckFanOut(const Queue& queue) const;
  // The queue that the header named, unless it was deleted since.
  Result<Queue*> FindQueue() const;
  void PlanFail(const Status& reason, Turn& turn);
  void Tell(Result<SendOutcome> result, Turn& turn);

  // Constant after construction.
  const World world_;
  const std::optional<std::uint64_t> body_bytes_;
  const bool ends_apart_;
  const std::int64_t drawn_bytes_;
  const RowStored row_stored_;
  const ActorPtr actor_;

  // The door's.
  std::string
      row_;  // Gathers pieces that are smaller than a row; or the whole body, if it is held.
  // And read by the shard.
  std::atomic<std::uint64_t> written_bytes_ = 0;
  std::atomic<bool> is_finished_ = false;
  // Given to the shard, and not stored yet: while there are any, the sender may be waiting for us.
  std::atomic<std::uint32_t> rows_under_way_ = 0;

  // The shard's.
  Answer<SendOutcome> receipt_;
  Message message_;
  EntityId entity_;
  std::optional<BodyRef> body_;  // Of a large body, until a message names it or it is dropped.
  std::uint32_t next_row_ = 0;
  std::uint64_t row_bytes_ = 0;  // Of the rows that were planned.
  // When it last had nothing under way, and what was written then.
  Timestamp waits_since_{};
  std::uint64_t written_then_ = 0;

  std::atomic<bool> is_over_ = false;
};

}  // namespace wharf
