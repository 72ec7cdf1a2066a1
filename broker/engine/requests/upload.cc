#include "broker/engine/requests/upload.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/sending/fan_out.h"
#include "broker/engine/turn/acting.h"
#include "broker/requests/actor.h"
#include "broker/schema/change_encoder.h"

namespace wharf {
namespace {

// What keeps a place that another wants: so many bytes in each such time, not counting the time in
// which they wait for the disk.
constexpr std::uint64_t kPaceBytes = 64 * 1024;
constexpr Duration kPace = std::chrono::seconds(30);

// Of a body whose length is not known, for as long as no message names it: beyond all that may be,
// so that whatever there is of it goes if none ever does.
constexpr std::uint64_t kUnknownBytes = std::uint64_t{1} << 40;

// Takes the first bytes off `from`, as many as a row holds.
std::string CutRow(std::string& from) {
  if (from.size() <= kBodyChunkBytes) return std::exchange(from, {});
  std::string row = from.substr(0, kBodyChunkBytes);
  from.erase(0, kBodyChunkBytes);
  return row;
}

}  // namespace

Upload::Upload(const World& world, const Caller& caller, const UploadRequest& request,
               RowStored row_stored, Answer<SendOutcome> receipt)
    : world_(world),
      body_bytes_(request.body_bytes),
      ends_apart_(request.ends_apart || !request.body_bytes.has_value()),
      drawn_bytes_(request.drawn_bytes),
      row_stored_(std::move(row_stored)),
      actor_(ActorOf(caller)),
      receipt_(std::move(receipt)) {}

void Upload::Begin(EntityRef entity, Message message, Admission admission) {
  world_.tasks.Post([self = shared_from_this(), entity = std::move(entity),
                     message = std::move(message), admission = std::move(admission)](
                        Turn& turn) mutable { self->PlanBegin(entity, std::move(message), turn); },
                    1);
  if (ends_with_body()) PostFinish();
}

void Upload::Refuse(Status reason) {
  is_over_ = true;
  std::exchange(receipt_, nullptr)(std::move(reason));
}

std::size_t Upload::Write(std::string bytes) {
  if (is_over_) return 0;
  written_bytes_ += bytes.size();
  if (row_.empty()) {
    row_ = std::move(bytes);
  } else {
    row_ += bytes;
  }
  std::size_t rows = 0;
  while (!is_held() && !row_.empty() && (row_.size() >= kBodyChunkBytes || is_complete())) {
    PostRow(CutRow(row_));
    ++rows;
  }
  if (ends_with_body()) PostFinish();
  return rows;
}

// What is given to an upload is bounded by its door, so it is never refused.
void Upload::PostRow(std::string row) {
  ++rows_under_way_;
  world_.tasks.Post([self = shared_from_this(), row = std::move(row)](Turn& turn) mutable {
    self->PlanRow(std::move(row), turn);
    turn.OnCommitted([self = std::move(self)](const Status&, Tellings& tellings) {
      self->NoteStored();
      tellings.Add([self](const Status&) { self->row_stored_(); });
    });
  });
}

void Upload::NoteStored() {
  --rows_under_way_;
  waits_since_ = world_.clock.Now();
  written_then_ = written_bytes_;
}

bool Upload::is_slow(Timestamp now) const {
  if (rows_under_way_ > 0 || is_finished_) return false;
  const auto paces = static_cast<std::uint64_t>(std::max(now - waits_since_, Duration(0)) / kPace);
  return written_bytes_ - written_then_ < paces * kPaceBytes;
}

void Upload::GiveWay(Turn& turn) {
  PlanFail({ErrorCode::kServiceTimeout,
            fmt::format("less than {} KiB of the body came in {} s, while others waited to send "
                        "large messages; send it again",
                        kPaceBytes / 1024, kPace / std::chrono::seconds(1))},
           turn);
}

void Upload::End(Message message) {
  if (!is_over_) PostFinish(std::move(message));
}

void Upload::PostFinish(std::optional<Message> message) {
  is_finished_ = true;
  world_.tasks.Post([self = shared_from_this(), rest = std::exchange(row_, {}),
                     message = std::move(message)](Turn& turn) mutable {
    if (message.has_value()) self->message_ = *std::move(message);
    self->PlanFinish(std::move(rest), turn);
  });
}

void Upload::Fail(Status reason) {
  world_.tasks.Post([self = shared_from_this(), reason = std::move(reason)](Turn& turn) {
    self->PlanFail(reason, turn);
  });
}

void Upload::PlanBegin(const EntityRef& entity, Message message, Turn& turn) {
  message_ = std::move(message);
  const Result<EntityId> opened = Open(entity, turn);
  if (!opened.ok()) return PlanFail(opened.status(), turn);
  entity_ = *opened;
  NoteUse(turn);
}

// Checks the header; a large body gets its name.
Result<EntityId> Upload::Open(const EntityRef& entity, Turn& turn) {
  WHARF_RETURN_IF_ERROR(world_.disk.Check());
  Result<EntityFinder::Target> target = world_.finder.ResolveSend(entity);
  if (!target.ok()) return target.status();
  WHARF_RETURN_IF_ERROR(target->queue->sending().CheckLarge(message_, body_bytes_.value_or(0),
                                                            turn.now, drawn_bytes_));
  WHARF_RETURN_IF_ERROR(CheckFanOut(*target->queue));
  if (body_bytes_.value_or(0) > kHeldBodyBytesMax) {
    WHARF_RETURN_IF_ERROR(NameBody(target->lane.entity, turn));
  }
  return target->lane.entity;
}

Status Upload::NameBody(EntityId entity, Turn& turn) {
  Result<BodyRef> body = world_.loose_bodies.BeginUpload(
      entity, body_bytes_.value_or(kUnknownBytes), shared_from_this(), turn);
  if (!body.ok()) return body.status();
  waits_since_ = turn.now;
  body_ = *body;
  return {};
}

Status Upload::CheckFanOut(const Queue& queue) const {
  return FanOut::OfOne(world_.topics, queue, message_)
      .Check(ErrorCode::kMessageSizeExceeded, "a message");
}

Result<Queue*> Upload::FindQueue() const {
  if (Status closed = world_.context.open.Check(); !closed.ok()) return closed;
  Queue* queue = world_.context.catalog.Find(entity_);
  if (queue != nullptr) return queue;
  if (world_.context.catalog.IsFenced(entity_)) return world_.context.catalog.WhyGone(entity_);
  return Status(ErrorCode::kMessagingEntityNotFound,
                "the entity was deleted while a message was being sent to it");
}

// A slow upload uses its entity from its first byte to its last (ADI-3).
void Upload::NoteUse(Turn& turn) {
  world_.context.touched.NoteUse(**FindQueue(), {entity_, LaneKind::kMain}, turn.now);
}

void Upload::PlanRow(std::string row, Turn& turn) {
  if (!receipt_) return;
  Result<Queue*> queue = FindQueue();
  if (!queue.ok()) return PlanFail(queue.status(), turn);
  if (Status full = world_.disk.Check(); !full.ok()) return PlanFail(full, turn);
  if (!body_bytes_.has_value()) {
    if (Status refused = TakeOpenRow(**queue, row.size(), turn); !refused.ok()) {
      return PlanFail(refused, turn);
    }
  }
  NoteUse(turn);
  row_bytes_ += row.size();
  turn.changes.push_back(BodyChunkStored{*body_, next_row_++, std::move(row)});
}

Status Upload::TakeOpenRow(const Queue& queue, std::size_t row_bytes, Turn& turn) {
  WHARF_RETURN_IF_ERROR(
      queue.sending().CheckLarge(message_, row_bytes_ + row_bytes, turn.now, drawn_bytes_));
  return body_.has_value() ? Status() : NameBody(entity_, turn);
}

void Upload::PlanFinish(std::string rest, Turn& turn) {
  if (!receipt_) return;
  std::string held_body;
  if (is_held()) {
    held_body = std::move(rest);
  } else if (!rest.empty()) {
    PlanRow(std::move(rest), turn);
    if (!receipt_) return;
  }
  Result<Queue*> queue = FindQueue();
  if (!queue.ok()) return PlanFail(queue.status(), turn);
  SendLine::Ticket ticket;
  ticket.weight = 1;
  ticket.bytes = held_body.size();
  if (auto id = (*queue)->duplicates().IdOf(message_)) ticket.ids.push_back(*std::move(id));
  ticket.send = [self = shared_from_this(), held_body = std::move(held_body)](
                    Turn& later, const Result<KnownIds*>& known) mutable {
    self->PlanMessage(std::move(held_body), known, later);
  };
  const Acting acting(turn, actor_);
  world_.sends.Plan(**queue, std::move(ticket), turn);
}

void Upload::PlanMessage(std::string held_body, const Result<KnownIds*>& known, Turn& turn) {
  Result<Queue*> queue = FindQueue();
  if (queue.ok() && !known.ok()) queue = known.status();
  if (!queue.ok()) return PlanFail(queue.status(), turn);
  Result<SendOutcome> sent = SendMessage(**queue, std::move(held_body), **known, turn);
  if (!sent.ok()) return PlanFail(sent.status(), turn);
  world_.context.touched.Touch({entity_, LaneKind::kMain});
  if (sent->is_duplicate) DropBody(turn);
  if (std::exchange(body_, std::nullopt)) world_.loose_bodies.EndUpload(*this);
  Tell(*sent, turn);
}

Result<SendOutcome> Upload::SendMessage(Queue& queue, std::string held_body, KnownIds& known,
                                        Turn& turn) {
  if (is_held()) message_.body = std::move(held_body);
  // While the body came the message may have changed, or the rules.
  WHARF_RETURN_IF_ERROR(CheckFanOut(queue));
  if (!is_held()) {
    body_->size = row_bytes_;
    return queue.sending().SendLarge(std::move(message_), *body_, known, turn.now, turn.changes,
                                     drawn_bytes_);
  }
  const std::int64_t counted_bytes = SizeOf(message_) - drawn_bytes_;
  std::vector<Message> messages;
  messages.push_back(std::move(message_));
  auto results = queue.sending().Send(std::move(messages), /*atomic=*/false, known, turn.now,
                                      turn.changes, counted_bytes);
  if (!results.ok()) return results.status();
  return std::move(results->front());
}

// After the first answer there is nothing left to fail.
void Upload::PlanFail(const Status& reason, Turn& turn) {
  if (!receipt_) return;
  DropBody(turn);
  Tell(reason, turn);
}

void Upload::DropBody(Turn& turn) {
  if (!body_) return;
  world_.loose_bodies.EndUpload(*this);
  if (next_row_ > 0) LooseBodies::Drop(*body_, turn);
  body_.reset();
}

void Upload::Tell(Result<SendOutcome> result, Turn& turn) {
  turn.OnCommitted([self = shared_from_this(), receipt = std::exchange(receipt_, nullptr),
                    result = std::move(result)](const Status&, Tellings& tellings) mutable {
    self->is_over_ = true;
    tellings.Add([receipt = std::move(receipt),
                  result = std::move(result)](const Status& committed) mutable {
      std::move(receipt)(committed.ok() ? std::move(result) : Result<SendOutcome>(committed));
    });
  });
}

}  // namespace wharf
