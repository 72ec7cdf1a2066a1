#include "broker/engine/requests/settle_handler.h"

#include <utility>

#include "broker/engine/requests/reply.h"
#include "broker/engine/requests/timed.h"
#include "broker/reading/message_reader.h"

namespace wharf {

void SettleHandler::Plan(Asked<SettleRequest> asked, Turn& turn) { Go({std::move(asked)}, turn); }

// Settles token by token up to the first whose message must be read; then goes on from there.
void SettleHandler::Go(Settling settling, Turn& turn) {
  SettleRequest& request = settling.asked.request;
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(request.entity);
  if (!target.ok()) return Refuse(std::move(settling), target.status(), turn);
  Queue& queue = *target->queue;
  const LaneId lane = target->lane;
  request.entity.lane = lane;
  context_.touched.Touch(lane);
  if (!settling.contents.empty()) context_.touched.Touch({lane.entity, LaneKind::kDeadLetter});
  while (settling.receipt.size() < request.tokens.size()) {
    const Result<LockToken>& token = request.tokens[settling.receipt.size()];
    if (token.ok() && MissingContent(settling, queue, lane.kind, *token, turn)) {
      return moves_.Enter(turn, [this, settling = std::move(settling)](Turn& step) mutable {
        ReadThenGo(std::move(settling), step);
      });
    }
    Status settled = token.ok() ? transactions_.CheckFree(lane, *token) : token.status();
    if (settled.ok()) {
      settled = queue.settling().Settle(lane.kind, *token, request.settlement, settling.contents,
                                        turn.now, turn.changes);
    }
    settling.receipt.push_back(std::move(settled));
  }
  Reply(turn,
        Timed(queue.latencies(), &EntityLatencies::settle, settling.asked.asked_at,
              std::move(settling.asked.answer)),
        Result<SettleReceipt>(std::move(settling.receipt)));
}

// What was settled in turns before may be durable or, if the log was closed since, may not.
void SettleHandler::Refuse(Settling settling, const Status& reason, Turn& turn) {
  if (settling.receipt.empty()) {
    return Reply(turn, std::move(settling.asked.answer), Result<SettleReceipt>(reason));
  }
  ReplyUnknown(turn, std::move(settling.asked.answer), reason);
}

std::optional<SequenceNumber> SettleHandler::MissingContent(const Settling& settling, Queue& queue,
                                                            LaneKind kind, const LockToken& token,
                                                            const Turn& turn) {
  const auto number =
      queue.settling().NeedsContent(kind, token, settling.asked.request.settlement, turn.now);
  return number && !settling.contents.contains(*number) ? number : std::nullopt;
}

// A step of the move line: reads what the next tokens need, and plans on. Meanwhile locks may end,
// or the entity.
void SettleHandler::ReadThenGo(Settling settling, Turn& turn) {
  const SettleRequest& request = settling.asked.request;
  const Result<EntityFinder::Target> target = finder_.Resolve(request.entity);
  if (!target.ok()) {
    moves_.Leave(turn);
    return Refuse(std::move(settling), target.status(), turn);
  }
  settling.contents.clear();
  std::vector<SequenceNumber> missing;
  for (std::size_t i = settling.receipt.size();
       i < request.tokens.size() && missing.size() < MoveLine::kMessagesPerStep; ++i) {
    if (!request.tokens[i].ok()) continue;
    const auto number =
        MissingContent(settling, *target->queue, target->lane.kind, *request.tokens[i], turn);
    if (number) missing.push_back(*number);
  }
  context_.reads.ReadAfter(
      turn,
      [this, shelf = target->queue->lane(target->lane.kind).shelf(), missing = std::move(missing),
       settling = std::move(settling)](const StoreView& view) mutable -> Task {
        Result<Contents> read = ReadEnvelopes(view, shelf, missing);
        return [this, settling = std::move(settling), missing = std::move(missing),
                read = std::move(read)](Turn& later) mutable {
          moves_.Leave(later);
          if (!read.ok()) return Refuse(std::move(settling), read.status(), later);
          // What was asked for once is not asked for again: null, if it is not there. A request may
          // name a token twice, so a number may be missing twice.
          for (const SequenceNumber number : missing) {
            settling.contents[number] = (*read)[number];
          }
          Go(std::move(settling), later);
        };
      });
}

void SettleHandler::Plan(Asked<RenewLockRequest> asked, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(asked.request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<RenewReceipt>(target.status()));
  }
  RenewReceipt receipt;
  receipt.reserve(asked.request.tokens.size());
  for (const Result<LockToken>& token : asked.request.tokens) {
    receipt.push_back(token.ok() ? target->queue->settling().RenewLock(target->lane.kind, *token,
                                                                       turn.now, turn.changes)
                                 : Result<Timestamp>(token.status()));
  }
  context_.touched.Touch(target->lane);
  Reply(turn, std::move(asked.answer), Result<RenewReceipt>(std::move(receipt)));
}

LockInfo SettleHandler::InfoOf(const LockToken& token, const Lock& lock, std::size_t left) {
  LockInfo info{lock.number, token, lock.owner.since, lock.until, {}, {}};
  if (!lock.facts.session_id.empty()) info.session_id = lock.facts.session_id;
  info.holder = holders_.Describe(lock.owner.holder, left);
  return info;
}

void SettleHandler::Plan(Asked<ListLocksRequest> asked, Turn& turn) {
  const ListLocksRequest& request = asked.request;
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(request.entity);
  if (!target.ok()) {
    return Reply(turn, std::move(asked.answer), Result<LockPage>(target.status()));
  }
  const LaneKind kind = target->lane.kind;
  const std::size_t left = target->queue->receiving().locks_left(kind);
  const auto locks = target->queue->lane(kind).locks().ListAfter(
      request.after.until, request.after.number, request.count_max + 1);
  LockPage page;
  for (const auto& [token, lock] : locks) {
    if (page.locks.size() == request.count_max) {
      page.next = LockPlace{page.locks.back().until, page.locks.back().number};
      break;
    }
    page.locks.push_back(InfoOf(token, *lock, left));
  }
  Reply(turn, std::move(asked.answer), Result<LockPage>(std::move(page)));
}

}  // namespace wharf
