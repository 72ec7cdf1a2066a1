#include "broker/engine/requests/number_handler.h"

#include <utility>

#include "broker/engine/delivery/delivery_traces.h"
#include "broker/engine/requests/reply.h"
#include "broker/reading/message_reader.h"

namespace wharf {
namespace {

// A step of a deletion, and the rows that it looks at in all (BDL-2).
constexpr std::size_t kDeletionRowsPerStep = 1024;
constexpr std::size_t kDeletionRowsMax = 65536;
// Of one session, whose messages may stand behind many others.
constexpr std::size_t kSessionDeletionRowsMax = std::size_t{1} << 20;

bool IsMeant(const DeleteOldestRequest& request, const StoredMessage& message) {
  if (message.enqueued_at >= request.before) return false;
  return !request.session_id || message.message.session_id == request.session_id;
}

}  // namespace

void NumberHandler::LookUp(Lookup lookup, Turn& turn) {
  Read(std::make_shared<Lookup>(std::move(lookup)), turn);
}

// Reads again for as long as others change what was read.
void NumberHandler::Read(std::shared_ptr<Lookup> lookup, Turn& turn) {
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(lookup->entity);
  if (!target.ok()) return lookup->then(target.status(), {}, turn);
  lookup->entity.lane = target->lane;
  const Shelf shelf = target->queue->lane(target->lane.kind).shelf();
  NumberWatch watch = context_.catalog.BeginWatch(shelf.lane(), lookup->numbers);
  context_.reads.ReadAfter(
      turn,
      [this, shelf, lookup = std::move(lookup),
       watch = std::move(watch)](const StoreView& view) mutable -> Task {
        Result<FoundMessages> found = ReadFound(view, shelf, lookup->numbers, lookup->with_bodies);
        return [this, shelf, lookup = std::move(lookup), watch = std::move(watch),
                found = std::move(found)](Turn& later) mutable {
          Result<EntityFinder::Target> again = finder_.Resolve(lookup->entity);
          if (again.ok() && !found.ok()) again = found.status();
          if (!again.ok()) return lookup->then(again.status(), {}, later);
          const bool is_current = again->queue->lane(shelf.kind).shelf() == shelf &&
                                  !context_.catalog.HaveChanged(shelf, *found, watch);
          if (!is_current) return Read(std::move(lookup), later);
          context_.touched.Touch(again->lane);
          lookup->then(std::move(again), *std::move(found), later);
        };
      });
}

template <typename Request, typename Receive>
Result<std::vector<Delivered>> NumberHandler::ReceiveAs(const Asked<Request>& asked,
                                                        const Result<EntityFinder::Target>& target,
                                                        std::size_t count, Receive receive,
                                                        Turn& turn) {
  if (!target.ok()) return target.status();
  Holders& holders = holders_;
  const bool has_locks = asked.request.mode == ReceiveMode::kPeekLock;
  const std::size_t left = target->queue->receiving().locks_left(target->lane.kind);
  const HolderId holder = holders.JoinCalls(asked.caller.peer, target->lane);
  Result<std::vector<Delivered>> received = std::vector<Delivered>();
  if (has_locks && holders.Allowance(holder, left) < count) {
    received = holders.Refusal(holder, left);
  } else {
    received = receive(*target->queue, holder);
  }
  if (has_locks && received.ok()) holders.NoteLocked(holder, received->size());
  holders.Leave(holder);
  if (!received.ok()) return received;
  for (const Delivered& delivered : *received) {
    NoteHandedOut(*target->queue, target->lane.kind, delivered, turn);
  }
  return received;
}

void NumberHandler::Plan(Asked<ReceiveDeferredRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  Numbers numbers = asked.request.numbers;
  LookUp({std::move(entity), std::move(numbers), /*with_bodies=*/true,
          [this, asked = std::move(asked)](Result<EntityFinder::Target> target,
                                           const FoundMessages& found, Turn& later) mutable {
            const ReceiveDeferredRequest& request = asked.request;
            auto received = ReceiveAs(
                asked, target, request.numbers.size(),
                [&](Queue& queue, HolderId holder) {
                  return queue.by_number().ReceiveDeferred(
                      target->lane.kind, request.mode, holder, request.session, request.numbers,
                      found, later.now, later.changes, request.takes_large);
                },
                later);
            Reply(later, std::move(asked.answer), std::move(received));
          }},
         turn);
}

void NumberHandler::Plan(Asked<UndeferRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  Numbers numbers = asked.request.numbers;
  LookUp({std::move(entity), std::move(numbers), /*with_bodies=*/false,
          [asked = std::move(asked)](Result<EntityFinder::Target> target,
                                     const FoundMessages& found, Turn& later) mutable {
            Reply(later, std::move(asked.answer),
                  Done(target.ok() ? target->queue->by_number().Undefer(
                                         target->lane.kind, asked.request.numbers, found, later.now,
                                         later.changes)
                                   : target.status()));
          }},
         turn);
}

void NumberHandler::Plan(Asked<ReceiveOneRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  const SequenceNumber number = asked.request.number;
  LookUp({std::move(entity),
          {number},
          /*with_bodies=*/true,
          [this, asked = std::move(asked)](Result<EntityFinder::Target> target,
                                           const FoundMessages& found, Turn& later) mutable {
            using Received = Result<std::vector<Delivered>>;
            const ReceiveOneRequest& request = asked.request;
            auto received = ReceiveAs(
                asked, target, 1,
                [&](Queue& queue, HolderId holder) -> Received {
                  Result<Delivered> one = queue.by_number().ReceiveOne(
                      target->lane.kind, request.mode, holder, request.session, request.number,
                      found, later.now, later.changes);
                  if (!one.ok()) return one.status();
                  return std::vector<Delivered>{*std::move(one)};
                },
                later);
            Reply(later, std::move(asked.answer), std::move(received));
          }},
         turn);
}

void NumberHandler::Plan(Asked<SettleOneRequest> asked, Turn& turn) {
  EntityRef entity = asked.request.entity;
  const SequenceNumber number = asked.request.number;
  LookUp({std::move(entity),
          {number},
          /*with_bodies=*/false,
          [asked = std::move(asked)](Result<EntityFinder::Target> target,
                                     const FoundMessages& found, Turn& later) mutable {
            const SettleOneRequest& request = asked.request;
            Reply(later, std::move(asked.answer),
                  Done(target.ok() ? target->queue->by_number().SettleOne(
                                         target->lane.kind, request.number, request.settlement,
                                         found, later.now, later.changes)
                                   : target.status()));
          }},
         turn);
}

void NumberHandler::Plan(Asked<DeleteOldestRequest> asked, Turn& turn) {
  Delete(std::make_shared<Deletion>(Deletion{std::move(asked)}), turn);
}

void NumberHandler::Delete(std::shared_ptr<Deletion> deletion, Turn& turn) {
  EntityRef& entity = deletion->asked.request.entity;
  const Result<EntityFinder::Target> target = finder_.ResolveHeld(entity);
  if (!target.ok()) return EndDeletion(std::move(*deletion), target.status(), turn);
  entity.lane = target->lane;
  context_.touched.NoteUse(*target->queue, target->lane, turn.now);
  const Shelf shelf = target->queue->lane(target->lane.kind).shelf();
  const SequenceNumber end = target->queue->lane(LaneKind::kMain).end_number();
  context_.reads.ReadAfter(
      turn,
      [this, shelf, end, deletion = std::move(deletion),
       watch = context_.catalog.BeginPageWatch()](const StoreView& view) mutable -> Task {
        const SequenceNumber from = deletion->position;
        return
            [this, shelf, watch, deletion = std::move(deletion),
             page = ScanLane(view, {shelf, from, end, kDeletionRowsPerStep})](Turn& later) mutable {
              DeletePage(std::move(deletion), shelf, std::move(page), watch, later);
            };
      });
}

// Messages that another caller took meanwhile are left there (BDL-2).
void NumberHandler::DeletePage(std::shared_ptr<Deletion> deletion, const Shelf& shelf,
                               Result<ScanPage> page, const PageWatch& watch, Turn& turn) {
  if (watch.is_lost()) return Delete(std::move(deletion), turn);
  const DeleteOldestRequest& request = deletion->asked.request;
  Queue* queue = context_.open.is_closed() ? nullptr : context_.catalog.FindShelf(shelf);
  if (queue != nullptr && page.ok()) {
    context_.touched.Touch(shelf.lane());
    for (const FoundMessage& found : page->messages) {
      if (deletion->deleted == request.messages_max) break;
      const bool is_meant = IsMeant(request, *found.message) &&
                            !context_.catalog.HasChanged(shelf, found.message->number, watch);
      if (is_meant && queue->by_number().DeleteWaiting(shelf.kind, found, turn.now, turn.changes)) {
        ++deletion->deleted;
      }
    }
    deletion->looked_at += page->looked_at;
  }
  const std::size_t rows_max = request.session_id ? kSessionDeletionRowsMax : kDeletionRowsMax;
  const bool goes_on = queue != nullptr && page.ok() && page->next &&
                       deletion->deleted < request.messages_max && deletion->looked_at < rows_max;
  if (goes_on) {
    deletion->position = *page->next;
    return Delete(std::move(deletion), turn);
  }
  EndDeletion(std::move(*deletion), page.status(), turn);
}

// If the log was closed meanwhile, what was deleted in turns before may be durable or may not.
void NumberHandler::EndDeletion(Deletion deletion, const Status& status, Turn& turn) {
  turn.Tell([answer = std::move(deletion.asked.answer), deleted = deletion.deleted,
             status](const Status& committed) mutable {
    const Status& failed = committed.ok() ? status : committed;
    if (failed.ok()) return std::move(answer)(static_cast<std::int64_t>(deleted));
    const Outcome outcome = deleted > 0 ? Outcome::kUnknown : failed.outcome();
    std::move(answer)(Status(failed.code(), failed.message(), outcome));
  });
}

}  // namespace wharf
