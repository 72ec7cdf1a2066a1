#include "broker/engine/requests/send_handler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/requests/reply.h"

namespace wharf {
namespace {

// What an atomic send to a topic may make in its one turn: some 100 MB of changes.
constexpr std::size_t kCopiesAtOnceMax = 262144;

std::vector<Message> TakeSlice(std::vector<Message>& messages, std::size_t count) {
  if (count >= messages.size()) return std::exchange(messages, {});
  const auto end = messages.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Message> slice(std::move_iterator(messages.begin()), std::move_iterator(end));
  messages.erase(messages.begin(), end);
  return slice;
}

// Who wants the messages' ids to be looked up, without what is done then.
SendLine::Ticket TicketFor(const Queue& queue, const std::vector<Message>& messages) {
  SendLine::Ticket ticket;
  ticket.weight = messages.size();
  for (const Message& message : messages) {
    ticket.bytes += static_cast<std::size_t>(SizeOf(message));
    if (auto id = queue.DuplicateIdOf(message)) ticket.ids.push_back(*std::move(id));
  }
  return ticket;
}

}  // namespace

void SendHandler::Plan(Asked<SendRequest> asked, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveSend(asked.request.entity);
  Status refused = target.status();
  if (refused.ok()) refused = disk_.Check();
  if (refused.ok() && asked.request.atomic) {
    refused = CheckCopies(*target->queue, asked.request.messages.size());
  }
  if (!refused.ok()) {
    return Reply(turn, std::move(asked.answer), Result<SendReceipt>(std::move(refused)));
  }
  if (target->queue->description().requires_duplicate_detection) {
    return PlanInLine(*target->queue, target->lane, std::move(asked), turn);
  }
  SendRequest& request = asked.request;
  const std::size_t count = request.messages.size();
  PlanSlice(
      {target->lane, request.atomic, count, std::move(request.messages), std::move(asked.answer)},
      turn);
}

// A queue with duplicate detection looks the ids up first; its sends stand in line meanwhile.
void SendHandler::PlanInLine(Queue& queue, LaneId lane, Asked<SendRequest> asked, Turn& turn) {
  SendLine::Ticket ticket = TicketFor(queue, asked.request.messages);
  ticket.send = [this, lane, asked = std::move(asked)](Turn& later,
                                                       Result<KnownIds*> known) mutable {
    Result<Queue*> found = finder_.FindOpen(lane.entity);
    if (found.ok() && !known.ok()) found = known.status();
    if (!found.ok()) {
      return Reply(later, std::move(asked.answer), Result<SendReceipt>(found.status()));
    }
    context_.touched.Touch(lane);
    Reply(later, std::move(asked.answer),
          (*found)->Send(std::move(asked.request.messages), asked.request.atomic, **known,
                         later.now, later.changes));
  };
  sends_.Plan(queue, std::move(ticket), turn);
}

// The copies of all messages are made in one turn.
Status SendHandler::CheckCopies(const Queue& queue, std::size_t messages) const {
  const std::size_t copies = topics_.CopiesOf(queue) * messages;
  if (copies <= kCopiesAtOnceMax) return {};
  return {
      ErrorCode::kMessageSizeExceeded,
      fmt::format("{} messages with {} copies, one for each subscription of '{}', are more than "
                  "the {} that one atomic send may make; send fewer messages at a time",
                  messages, copies, queue.description().name, kCopiesAtOnceMax)};
}

// A send that is not atomic is planned as far as the turn has room: a message to a topic has many
// copies.
void SendHandler::PlanSlice(Sending sending, Turn& turn) {
  const Result<Queue*> queue = finder_.FindOpen(sending.lane.entity);
  if (!queue.ok()) return RefuseRest(std::move(sending), queue.status(), turn);
  KnownIds none;
  context_.touched.Touch(sending.lane);
  auto sent = (*queue)->Send(TakeSlice(sending.messages, SliceOf(sending, **queue, turn)),
                             sending.atomic, none, turn.now, turn.changes);
  if (!sent.ok()) return RefuseRest(std::move(sending), sent.status(), turn);
  std::move(sent->begin(), sent->end(), std::back_inserter(sending.receipt));
  if (sending.messages.empty()) {
    return Reply(turn, std::move(sending.answer), Result<SendReceipt>(std::move(sending.receipt)));
  }
  agenda_.GoOn([this, sending = std::move(sending)](Turn& next) mutable {
    PlanSlice(std::move(sending), next);
  });
}

std::size_t SendHandler::SliceOf(const Sending& sending, const Queue& queue,
                                 const Turn& turn) const {
  if (sending.atomic) return sending.messages.size();
  const std::size_t room = Turn::kChangesMax - std::min(turn.changes.size(), Turn::kChangesMax);
  return std::max<std::size_t>(room / topics_.CopiesOf(queue), 1);
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
