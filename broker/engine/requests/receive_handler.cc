#include "broker/engine/requests/receive_handler.h"

#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/requests/reply.h"
#include "broker/engine/requests/session_holder.h"
#include "broker/requests/actor.h"

namespace wharf {
namespace {

// Answers a receive when its receiver leaves: with all that it got, in one turn or in several,
// because what was locked for it is locked, also if it is ended then.
class OnceSink final : public DeliverySink {
 public:
  explicit OnceSink(Answer<std::vector<Delivered>> answer) : answer_(std::move(answer)) {}

  void OnDeliveries(std::vector<Delivered> deliveries) override {
    received_.insert(received_.end(), std::make_move_iterator(deliveries.begin()),
                     std::make_move_iterator(deliveries.end()));
  }
  void OnDrained(Credit) override {}
  void OnStopped() override {}
  void OnDetached(Status reason) override {
    if (!answer_) return;
    const bool has_failed = received_.empty() && !reason.ok();
    std::exchange(answer_, nullptr)(has_failed ? Result<std::vector<Delivered>>(std::move(reason))
                                               : std::move(received_));
  }

 private:
  Answer<std::vector<Delivered>> answer_;
  std::vector<Delivered> received_;
};

// Whether a receiver may use sessions so; where it takes messages from, if that is known yet.
Result<Source> CheckUse(Queue& queue, LaneKind kind, const SessionUse& use, Timestamp now) {
  if (std::holds_alternative<std::monostate>(use))
    return queue.receiving().SourceOf(kind, std::nullopt, now);
  if (const auto* token = std::get_if<LockToken>(&use))
    return queue.receiving().SourceOf(kind, *token, now);
  const auto* choice = std::get_if<SessionChoice>(&use);
  Status refused =
      queue.sessions().CheckAccept(kind, choice == nullptr ? std::nullopt : choice->id);
  if (!refused.ok()) return refused;
  return Source{kind};
}

// Why a message whose body has this chunk cannot be read.
std::string UnreadChunk(std::uint32_t chunk, const Status& failed) {
  return failed.is_damage()
             ? fmt::format("chunk {} of its body cannot be read: {}", chunk, failed.message())
             : fmt::format("chunk {} of its body is not in the store", chunk);
}

Status UnreadableNow(SequenceNumber number, const std::string& name, const std::string& reason) {
  return {ErrorCode::kGeneralError,
          fmt::format("message {} of '{}' cannot be read, and is in quarantine now: {}",
                      number.value(), name, reason)};
}

LineId LineOf(const Source& source, LaneId lane) {
  return {lane, source.session == nullptr ? SessionSerial() : source.session->serial()};
}

}  // namespace

void ReceiveHandler::Plan(Asked<ReceiveRequest> asked, HolderId& id, Turn& turn) {
  const ReceiveRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  Status refused =
      target.ok() ? target->queue->receiving().Check(target->lane.kind) : target.status();
  Result<Source> source = Source();
  if (refused.ok()) {
    source = target->queue->receiving().SourceOf(target->lane.kind, request.session, turn.now);
    refused = source.status();
  }
  if (!refused.ok()) {
    return Reply(turn, std::move(asked.answer), Result<std::vector<Delivered>>(refused));
  }
  auto sink = std::make_shared<OnceSink>(std::move(asked.answer));
  const Result<HolderId> attached = dispatcher_.Attach({.lane = target->lane,
                                                        .mode = request.mode,
                                                        .is_once = true,
                                                        .wait_until = After(turn.now, request.wait),
                                                        .actor = turn.actor()},
                                                       asked.caller.peer, sink);
  if (!attached.ok()) {
    turn.Tell([sink, why = attached.status()](const Status&) { sink->OnDetached(why); });
    return;
  }
  context_.touched.NoteUse(*target->queue, target->lane, turn.now);
  id = *attached;
  if (source->session != nullptr) NoteHolder(*source->session, asked.caller);
  dispatcher_.TakeSeat(id, LineOf(*source, target->lane));
  dispatcher_.Grant(id, {request.messages_max, request.bytes_max});
}

// With credit it has used its entity until now (ADI-9).
void ReceiveHandler::EndWait(HolderId id, Turn& turn) {
  const Receiver* receiver = dispatcher_.Find(id);
  if (receiver == nullptr) return;
  const LaneId lane = receiver->options().lane;
  Queue* queue = context_.catalog.Find(lane.entity);
  if (receiver->has_credit() && queue != nullptr) context_.touched.NoteUse(*queue, lane, turn.now);
  dispatcher_.EndWait(id, turn);
}

// As long as its lock holds a message is there, with its body: then a chunk that is not is damage,
// too. One that is settled, or whose lock has ended, is met by its next receiver.
void ReceiveHandler::PlanUnread(Asked<ReadBodyChunkRequest> asked, Status failed, Turn& turn) {
  const ReadBodyChunkRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(EntityRef{{}, request.lane});
  if (target.ok()) {
    Lane& lane = target->queue->lane(request.lane.kind);
    const Lock* lock = lane.locks().Find(request.token, turn.now);
    if (lock != nullptr) {
      std::string reason = UnreadChunk(request.chunk, failed);
      failed = UnreadableNow(lock->number, target->queue->description().name, reason);
      lane.QuarantineLocked(request.token, std::move(reason), turn.now, turn.changes);
      context_.touched.Touch(request.lane);
    }
  }
  Reply(turn, std::move(asked.answer), Result<std::string>(std::move(failed)));
}

void ReceiveHandler::Plan(Asked<AttachRequest> asked, std::shared_ptr<DeliverySink> sink,
                          ReceiverLink& link, Turn& turn) {
  const AttachRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  Status refused =
      target.ok() ? target->queue->receiving().Check(target->lane.kind) : target.status();
  Result<Source> source = Source();
  if (refused.ok()) {
    source = CheckUse(*target->queue, target->lane.kind, request.session, turn.now);
    refused = source.status();
  }
  Result<HolderId> id = HolderId();
  if (refused.ok()) {
    const bool has_many = std::holds_alternative<ManySessions>(request.session);
    id = dispatcher_.Attach({.lane = target->lane,
                             .mode = request.mode,
                             .has_many_sessions = has_many,
                             .actor = ActorOf(asked.caller)},
                            asked.caller.peer, std::move(sink));
    refused = id.status();
  }
  if (!refused.ok()) return Reply(turn, std::move(asked.answer), Result<Attached>(refused));
  link.SetId(*id);
  context_.touched.NoteUse(*target->queue, target->lane, turn.now);
  const Attached attached{target->lane, target->queue->description().lock_duration};
  Reply(turn, std::move(asked.answer), Result<Attached>(attached));
  if (const auto* choice = std::get_if<SessionChoice>(&request.session)) {
    sessions_.Seat(*id, target->lane, *choice, turn);
  } else if (const auto* many = std::get_if<ManySessions>(&request.session)) {
    sessions_.Seat(*id, target->lane, *many, turn);
  } else {
    if (source->session != nullptr) NoteHolder(*source->session, asked.caller);
    dispatcher_.TakeSeat(*id, LineOf(*source, target->lane));
  }
}

}  // namespace wharf
