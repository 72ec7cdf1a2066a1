// What is asked of messages by their numbers: read first, then planned with what did not change
// meanwhile.

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/engine/broker.h"
#include "broker/engine/reply.h"

namespace wharf {
namespace {

// One deletion of the oldest (BDL-3), a step of it, and the rows that it looks at in all (BDL-2).
constexpr std::size_t kDeletedMax = 4000;
constexpr std::size_t kDeletionRowsPerStep = 1024;
constexpr std::size_t kRowsMax = 65536;
// A page of a list.
constexpr std::size_t kListMax = 250;

}  // namespace

// Must be followed by a request of weight 1.
Status Broker::Admit(const Numbers& numbers) {
  if (numbers.size() > kItemsMax) {
    return {ErrorCode::kArgumentOutOfRange,
            fmt::format("a request names at most {} sequence numbers", kItemsMax)};
  }
  return shard_.Reserve(1);
}

struct Broker::ByNumber {
  std::string path;
  Numbers numbers;
  bool with_bodies = false;
  absl::AnyInvocable<void(Result<Shard::Target>, FoundMessages, Turn&)> then;
};

void Broker::AskByNumber(
    std::string path, Numbers numbers, bool with_bodies,
    absl::AnyInvocable<void(Result<Shard::Target>, FoundMessages, Turn&)> then) {
  auto request = std::make_shared<ByNumber>();
  *request = {std::move(path), std::move(numbers), with_bodies, std::move(then)};
  shard_.Post([this, request = std::move(request)](
                  Turn& turn) mutable { PlanByNumber(std::move(request), turn); },
              1);
}

// Reads again for as long as others change what was read.
void Broker::PlanByNumber(std::shared_ptr<ByNumber> request, Turn& turn) {
  Result<Shard::Target> target = shard_.ResolveHeld(request->path);
  if (!target.ok()) return request->then(target.status(), {}, turn);
  const Shelf shelf = target->queue->lane(target->lane.kind).shelf();
  NumberWatch watch = shard_.catalog().BeginWatch(shelf.lane(), request->numbers);
  shard_.ReadAfter(turn,
                   [this, shelf, request = std::move(request),
                    watch = std::move(watch)](const StoreView& view) mutable -> Task {
                     Result<FoundMessages> found =
                         ReadFound(view, shelf, request->numbers, request->with_bodies);
                     return [this, shelf, request = std::move(request), watch = std::move(watch),
                             found = std::move(found)](Turn& later) mutable {
                       Result<Shard::Target> again = shard_.Resolve(request->path);
                       if (again.ok() && !found.ok()) again = found.status();
                       if (!again.ok()) return request->then(again.status(), {}, later);
                       const bool is_current =
                           again->queue->lane(shelf.kind).shelf() == shelf && !watch.saw_any();
                       if (!is_current) return PlanByNumber(std::move(request), later);
                       shard_.Touch(again->lane);
                       request->then(std::move(again), *std::move(found), later);
                     };
                   });
}

template <typename Receive>
Result<std::vector<Delivered>> Broker::ReceiveAs(const ReceiveByNumberRequest& request,
                                                 const Result<Shard::Target>& target,
                                                 std::size_t count, Receive receive) {
  if (!target.ok()) return target.status();
  Holders& holders = shard_.dispatcher().holders();
  const bool has_locks = request.mode == ReceiveMode::kPeekLock;
  const std::size_t left = target->queue->locks_left(target->lane.kind);
  const HolderId holder = holders.JoinCalls(request.peer, target->lane);
  Result<std::vector<Delivered>> received = std::vector<Delivered>();
  if (has_locks && holders.Allowance(holder, left) < count) {
    received = holders.Refusal(holder, left);
  } else {
    received = receive(*target->queue, holder);
  }
  if (has_locks && received.ok()) holders.NoteLocked(holder, received->size());
  holders.Leave(holder);
  return received;
}

void Broker::ReceiveDeferred(ReceiveByNumberRequest request, const Numbers& numbers,
                             Answer<std::vector<Delivered>> answer) {
  if (Status refused = Admit(numbers); !refused.ok()) return std::move(answer)(refused);
  std::string path = request.path;
  AskByNumber(std::move(path), numbers, true,
              [this, request = std::move(request), numbers, answer = std::move(answer)](
                  Result<Shard::Target> target, const FoundMessages& found, Turn& turn) mutable {
                Reply(
                    turn, std::move(answer),
                    ReceiveAs(request, target, numbers.size(), [&](Queue& queue, HolderId holder) {
                      return queue.ReceiveDeferred(target->lane.kind, request.mode, holder,
                                                   request.session, numbers, found, turn.now,
                                                   turn.changes);
                    }));
              });
}

void Broker::Undefer(std::string path, const Numbers& numbers, Answer<std::monostate> answer) {
  if (Status refused = Admit(numbers); !refused.ok()) return std::move(answer)(refused);
  AskByNumber(std::move(path), numbers, false,
              [numbers, answer = std::move(answer)](
                  Result<Shard::Target> target, const FoundMessages& found, Turn& turn) mutable {
                Reply(turn, std::move(answer),
                      Done(target.ok() ? target->queue->Undefer(target->lane.kind, numbers, found,
                                                                turn.now, turn.changes)
                                       : target.status()));
              });
}

void Broker::ReceiveOne(ReceiveByNumberRequest request, SequenceNumber number,
                        Answer<std::vector<Delivered>> answer) {
  if (Status refused = Admit({number}); !refused.ok()) return std::move(answer)(refused);
  std::string path = request.path;
  AskByNumber(std::move(path), {number}, true,
              [this, request = std::move(request), number, answer = std::move(answer)](
                  Result<Shard::Target> target, const FoundMessages& found, Turn& turn) mutable {
                using Receipt = Result<std::vector<Delivered>>;
                Reply(turn, std::move(answer),
                      ReceiveAs(request, target, 1, [&](Queue& queue, HolderId holder) -> Receipt {
                        Result<Delivered> one = queue.ReceiveOne(target->lane.kind, request.mode,
                                                                 holder, request.session, number,
                                                                 found, turn.now, turn.changes);
                        if (!one.ok()) return one.status();
                        return std::vector<Delivered>{*std::move(one)};
                      }));
              });
}

void Broker::SettleOne(std::string path, SequenceNumber number, Settlement settlement,
                       Answer<std::monostate> answer) {
  Status refused = CheckSettlement(settlement);
  if (refused.ok()) refused = Admit({number});
  if (!refused.ok()) return std::move(answer)(refused);
  AskByNumber(
      std::move(path), {number}, false,
      [number, settlement = std::move(settlement), answer = std::move(answer)](
          Result<Shard::Target> target, const FoundMessages& found, Turn& turn) mutable {
        Reply(turn, std::move(answer),
              Done(target.ok() ? target->queue->SettleOne(target->lane.kind, number, settlement,
                                                          found, turn.now, turn.changes)
                               : target.status()));
      });
}

struct Broker::Deletion {
  std::string path;
  std::size_t messages_max;
  Timestamp before;
  Answer<std::int64_t> answer;
  SequenceNumber position{};
  std::size_t deleted = 0;
  std::size_t looked_at = 0;
};

void Broker::DeleteOldest(std::string path, std::size_t messages_max, Timestamp before,
                          Answer<std::int64_t> answer) {
  if (messages_max < 1 || messages_max > kDeletedMax) {
    return std::move(answer)(Status(ErrorCode::kArgumentOutOfRange,
                                    fmt::format("max_messages must be from 1 to {}", kDeletedMax)));
  }
  if (Status refused = Admit({}); !refused.ok()) return std::move(answer)(refused);
  auto deletion = std::make_shared<Deletion>(
      Deletion{std::move(path), messages_max, before, std::move(answer)});
  shard_.Post([this, deletion = std::move(deletion)](
                  Turn& turn) mutable { PlanDeletion(std::move(deletion), turn); },
              1);
}

void Broker::PlanDeletion(std::shared_ptr<Deletion> deletion, Turn& turn) {
  const Result<Shard::Target> target = shard_.ResolveHeld(deletion->path);
  if (!target.ok()) return EndDeletion(std::move(*deletion), target.status(), turn);
  shard_.NoteUse(*target, turn.now);
  const Shelf shelf = target->queue->lane(target->lane.kind).shelf();
  const SequenceNumber end = target->queue->lane(LaneKind::kMain).end_number();
  shard_.ReadAfter(
      turn,
      [this, shelf, end, deletion = std::move(deletion),
       watch = shard_.catalog().BeginPageWatch()](const StoreView& view) mutable -> Task {
        const SequenceNumber from = deletion->position;
        return
            [this, shelf, watch, deletion = std::move(deletion),
             page = ScanLane(view, {shelf, from, end, kDeletionRowsPerStep})](Turn& later) mutable {
              DeletePage(std::move(deletion), shelf, std::move(page), watch, later);
            };
      });
}

// Messages that someone else took meanwhile are left to them (BDL-2).
void Broker::DeletePage(std::shared_ptr<Deletion> deletion, const Shelf& shelf,
                        Result<ScanPage> page, const PageWatch& watch, Turn& turn) {
  if (watch.is_lost()) return PlanDeletion(std::move(deletion), turn);
  Queue* queue = shard_.is_closed() ? nullptr : shard_.FindShelf(shelf);
  if (queue != nullptr && page.ok()) {
    shard_.Touch(shelf.lane());
    for (const FoundMessage& found : page->messages) {
      if (deletion->deleted == deletion->messages_max) break;
      const bool is_meant = found.message->enqueued_at < deletion->before &&
                            !watch.Saw(shelf.lane(), found.message->number);
      if (is_meant && queue->DeleteWaiting(shelf.kind, found, turn.now, turn.changes)) {
        ++deletion->deleted;
      }
    }
    deletion->looked_at += page->looked_at;
  }
  const bool goes_on = queue != nullptr && page.ok() && page->next &&
                       deletion->deleted < deletion->messages_max && deletion->looked_at < kRowsMax;
  if (goes_on) {
    deletion->position = *page->next;
    return PlanDeletion(std::move(deletion), turn);
  }
  EndDeletion(std::move(*deletion), page.status(), turn);
}

// If the log was closed meanwhile, what was deleted in turns before may be durable or may not.
void Broker::EndDeletion(Deletion deletion, const Status& status, Turn& turn) {
  turn.OnPublish([answer = std::move(deletion.answer), deleted = deletion.deleted,
                  status](const Status& committed) mutable {
    const Status& failed = committed.ok() ? status : committed;
    if (failed.ok()) return std::move(answer)(static_cast<std::int64_t>(deleted));
    const Outcome outcome = deleted > 0 ? Outcome::kUnknown : failed.outcome();
    std::move(answer)(Status(failed.code(), failed.message(), outcome));
  });
}

struct Broker::ByScheduled {
  std::string path;
  Numbers numbers;
  absl::AnyInvocable<void(Result<Queue*>, Contents, Turn&)> then;
};

void Broker::AskByScheduled(std::string path, Numbers numbers,
                            absl::AnyInvocable<void(Result<Queue*>, Contents, Turn&)> then) {
  auto request = std::make_shared<ByScheduled>();
  *request = {std::move(path), std::move(numbers), std::move(then)};
  shard_.Post([this, request = std::move(request)](
                  Turn& turn) mutable { PlanByScheduled(std::move(request), turn); },
              1);
}

void Broker::PlanByScheduled(std::shared_ptr<ByScheduled> request, Turn& turn) {
  const Result<Shard::Target> target = shard_.ResolveEntity(request->path);
  if (!target.ok()) return request->then(target.status(), {}, turn);
  NumberWatch watch = shard_.catalog().BeginWatch(target->lane, request->numbers);
  shard_.ReadAfter(
      turn,
      [this, lane = target->lane, request = std::move(request),
       watch = std::move(watch)](const StoreView& view) mutable -> Task {
        Result<Contents> found = ReadScheduled(view, lane.entity, request->numbers);
        return [this, lane, request = std::move(request), watch = std::move(watch),
                found = std::move(found)](Turn& later) mutable {
          Result<Queue*> queue = shard_.FindOpen(lane.entity);
          if (queue.ok() && !found.ok()) queue = found.status();
          if (!queue.ok()) return request->then(std::move(queue), {}, later);
          if (watch.saw_any()) return PlanByScheduled(std::move(request), later);
          const SequenceNumber floor = (*queue)->lane(LaneKind::kMain).counters().scheduled_floor;
          absl::erase_if(*found, [floor](const auto& entry) { return entry.first < floor; });
          shard_.Touch(lane);
          request->then(std::move(queue), *std::move(found), later);
        };
      });
}

void Broker::CancelScheduled(std::string path, const Numbers& numbers,
                             Answer<std::monostate> answer) {
  if (Status refused = Admit(numbers); !refused.ok()) return std::move(answer)(refused);
  AskByScheduled(
      std::move(path), numbers,
      [numbers, answer = std::move(answer)](Result<Queue*> queue, const Contents& found,
                                            Turn& turn) mutable {
        Reply(turn, std::move(answer),
              Done(queue.ok() ? (*queue)->CancelScheduled(numbers, found, turn.now, turn.changes)
                              : queue.status()));
      });
}

void Broker::Reschedule(std::string path, const Numbers& numbers, Timestamp time,
                        Answer<std::monostate> answer) {
  if (Status refused = Admit(numbers); !refused.ok()) return std::move(answer)(refused);
  AskByScheduled(
      std::move(path), numbers,
      [numbers, time, answer = std::move(answer)](Result<Queue*> queue, const Contents& found,
                                                  Turn& turn) mutable {
        Reply(turn, std::move(answer),
              Done(queue.ok() ? (*queue)->Reschedule(numbers, time, found, turn.now, turn.changes)
                              : queue.status()));
      });
}

void Broker::ActivateScheduled(std::string path, const Numbers& numbers, Answer<Numbers> answer) {
  if (Status refused = Admit(numbers); !refused.ok()) return std::move(answer)(refused);
  AskByScheduled(std::move(path), numbers,
                 [numbers, answer = std::move(answer)](Result<Queue*> queue, const Contents& found,
                                                       Turn& turn) mutable {
                   Reply(turn, std::move(answer),
                         queue.ok() ? (*queue)->Activate(numbers, found, turn.now, turn.changes)
                                    : Result<Numbers>(queue.status()));
                 });
}

void Broker::ListScheduled(std::string path, ScheduledTime from, std::size_t messages_max,
                           std::size_t bytes_max, Answer<ScheduledPage> answer) {
  if (Status busy = shard_.Reserve(1); !busy.ok()) return std::move(answer)(busy);
  const std::size_t count = std::clamp<std::size_t>(messages_max, 1, kListMax);
  shard_.Post(
      [this, path = std::move(path), from, count, bytes_max,
       answer = std::move(answer)](Turn& turn) mutable {
        const Result<Shard::Target> target = shard_.ResolveEntity(path);
        if (!target.ok()) {
          return Reply(turn, std::move(answer), Result<ScheduledPage>(target.status()));
        }
        shard_.NoteUse(*target, turn.now);
        const SequenceNumber floor =
            target->queue->lane(LaneKind::kMain).counters().scheduled_floor;
        ReplyFromStore(
            turn, readers_, store_, std::move(answer),
            [entity = target->lane.entity, from, floor, count, bytes_max](const StoreView& view) {
              return wharf::ListScheduled(view, entity, from, floor, count, bytes_max);
            });
      },
      1);
}

}  // namespace wharf
