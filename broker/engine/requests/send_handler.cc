#include "broker/engine/requests/send_handler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "broker/engine/requests/reply.h"
#include "broker/engine/requests/timed.h"
#include "broker/engine/sending/fan_out.h"
#include "broker/engine/turn/acting.h"

namespace wharf {
namespace {

// Copies of a slice, where a message has fewer, and how many may be under way when a send goes on.
// So one slice is planned while the one before is written, and others wait for a turn's worth, as
// they do for one message with as many copies as a turn may have.
constexpr std::size_t kSliceCopiesMax = Turn::kCopiesMax / 2;

// What stands in line for these messages, without what is done when it is their turn.
SendLine::Ticket TicketFor(const Queue& queue, const std::vector<Message>& messages) {
  SendLine::Ticket ticket;
  ticket.weight = messages.size();
  for (const Message& message : messages) {
    ticket.bytes += static_cast<std::size_t>(SizeOf(message));
    if (auto id = queue.duplicates().IdOf(message)) ticket.ids.push_back(*std::move(id));
  }
  return ticket;
}

}  // namespace

void SendHandler::Plan(Asked<SendRequest> asked, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveSend(asked.request.entity);
  Status refused = target.status();
  if (refused.ok()) refused = disk_.Check();
  if (refused.ok()) refused = CheckAtOnce(*target->queue, asked.request, turn.now);
  if (!refused.ok()) {
    return Reply(turn, std::move(asked.answer), Result<SendReceipt>(std::move(refused)));
  }
  asked.answer = Timed(target->queue->latencies(), &EntityLatencies::send, asked.asked_at,
                       std::move(asked.answer));
  Sending sending{target->lane,
                  asked.request.atomic,
                  asked.request.encoded_bytes,
                  asked.request.messages.size(),
                  std::move(asked.request.messages),
                  std::move(asked.answer)};
  if (sends_.HasLine(*target->queue)) {
    return PlanInLine(*target->queue, std::move(sending), turn);
  }
  Begin(std::move(sending), turn);
}

// A queue with duplicate detection looks the ids up first; its sends stand in line meanwhile, and
// are then done at one go.
void SendHandler::PlanInLine(Queue& queue, Sending sending, Turn& turn) {
  SendLine::Ticket ticket = TicketFor(queue, sending.messages);
  ticket.send = [this, sending = std::move(sending)](Turn& later, Result<KnownIds*> known) mutable {
    Result<Queue*> found = finder_.FindOpen(sending.lane.entity);
    if (found.ok() && !known.ok()) found = known.status();
    if (!found.ok()) return RefuseRest(std::move(sending), found.status(), later);
    if (!(*found)->description().requires_duplicate_detection) {
      return Begin(std::move(sending), later);
    }
    context_.touched.Touch(sending.lane);
    Reply(later, std::move(sending.answer),
          (*found)->sending().Send(std::move(sending.messages), sending.atomic, **known, later.now,
                                   later.changes, sending.encoded_bytes));
  };
  sends_.Plan(queue, std::move(ticket), turn);
}

// The copies of one message are made in one turn, and where all or none is to be stored, or the ids
// of all were looked up together, those of all messages.
Status SendHandler::CheckAtOnce(const Queue& queue, const SendRequest& request,
                                Timestamp now) const {
  if (request.atomic || queue.description().requires_duplicate_detection) {
    WHARF_RETURN_IF_ERROR(FanOut::Of(topics_, queue, request.messages, now)
                              .Check(ErrorCode::kMessageSizeExceeded,
                                     request.atomic
                                         ? "an atomic send"
                                         : "a send to a topic with duplicate detection"));
  }
  return FanOut::OfLargest(topics_, queue, request.messages)
      .Check(ErrorCode::kMessageSizeExceeded, "a message");
}

void SendHandler::Begin(Sending sending, Turn& turn) {
  if (PlanSlice(sending, turn)) return;
  sends_.Hold(sending.lane.entity);
  GoOnLater(std::move(sending), turn);
}

// A send that is not atomic is planned as far as the turn has room: a message to a topic has many
// copies. The rest comes after what others have asked meanwhile, but for sends to the same topic.
bool SendHandler::PlanSlice(Sending& sending, Turn& turn) {
  const Result<Queue*> queue = finder_.FindOpen(sending.lane.entity);
  Result<SendReceipt> sent = queue.status();
  if (queue.ok()) {
    KnownIds none;
    context_.touched.Touch(sending.lane);
    const std::size_t slice = SliceOf(sending, **queue, turn);
    sending.slice_copies = slice * topics_.CopiesOf(**queue);
    sent = (*queue)->sending().Send(TakeSlice(sending, slice), sending.atomic, none, turn.now,
                                    turn.changes, sending.encoded_bytes);
  }
  if (!sent.ok()) {
    RefuseRest(std::move(sending), sent.status(), turn);
    return true;
  }
  std::move(sent->begin(), sent->end(), std::back_inserter(sending.receipt));
  if (sending.planned < sending.messages.size()) return false;
  Reply(turn, std::move(sending.answer), Result<SendReceipt>(std::move(sending.receipt)));
  return true;
}

void SendHandler::GoOnLater(Sending sending, Turn& turn) {
  const std::size_t copies = sending.slice_copies;
  under_way_ += copies;
  sending.actor = turn.actor();
  turn.OnCommitted([this, copies](const Status&, Tellings&) {
    under_way_ -= copies;
    PostWaiting();
  });
  waiting_.push_back(std::move(sending));
  PostWaiting();
}

// One at a time: what it makes is known when it is planned.
void SendHandler::PostWaiting() {
  if (waiting_.empty() || is_posted_ || under_way_ > kSliceCopiesMax) return;
  is_posted_ = true;
  tasks_.Post([this, sending = std::move(waiting_.front())](Turn& next) mutable {
    is_posted_ = false;
    const Acting acting(next, sending.actor);
    const EntityId entity = sending.lane.entity;
    if (!PlanSlice(sending, next)) return GoOnLater(std::move(sending), next);
    sends_.Leave(entity, next);
    PostWaiting();
  });
  waiting_.pop_front();
}

std::vector<Message> SendHandler::TakeSlice(Sending& sending, std::size_t count) {
  if (sending.planned == 0 && count >= sending.messages.size()) {
    return std::exchange(sending.messages, {});
  }
  const auto begin = sending.messages.begin() + static_cast<std::ptrdiff_t>(sending.planned);
  const auto end = begin + static_cast<std::ptrdiff_t>(
                               std::min(count, sending.messages.size() - sending.planned));
  sending.planned += static_cast<std::size_t>(end - begin);
  return {std::move_iterator(begin), std::move_iterator(end)};
}

std::size_t SendHandler::SliceOf(const Sending& sending, const Queue& queue,
                                 const Turn& turn) const {
  if (sending.atomic) return sending.messages.size();
  const std::size_t copies_each = topics_.CopiesOf(queue);
  const std::size_t room = turn.RoomFor(copies_each, topics_.StepsOf(queue));
  if (copies_each <= 1) return room;
  return std::min(room, std::max<std::size_t>(kSliceCopiesMax / copies_each, 1));
}

// What was sent in turns before stands; of a closed log nobody knows.
void SendHandler::RefuseRest(Sending sending, const Status& reason, Turn& turn) {
  if (sending.receipt.empty()) {
    return Reply(turn, std::move(sending.answer), Result<SendReceipt>(reason));
  }
  if (context_.open.is_closed()) return ReplyUnknown(turn, std::move(sending.answer), reason);
  while (sending.receipt.size() < sending.count) sending.receipt.emplace_back(reason);
  Reply(turn, std::move(sending.answer), Result<SendReceipt>(std::move(sending.receipt)));
}

}  // namespace wharf
