#include "broker/engine/dispatcher.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

// What one receiver gets before the next in line.
constexpr std::size_t kSliceMessages = 128;
// What one lane hands out in a turn.
constexpr std::size_t kTurnMessages = 2048;

// Expired messages at its head that a lane drops between two deliveries.
constexpr std::size_t kTurnExpired = 256;

// Whether a receiver that waits would get something without anyone else doing anything: then its
// wait is not over, even if the message has to be read first.
bool HasSomething(const Queue& queue, LaneKind kind) {
  return queue.CheckReceive().ok() && queue.lane(kind).has_ready() && queue.CanLockMore(kind);
}

// Who leaves after one answer has no use for a body that comes in chunks.
Status TooLargeForOne() {
  return {ErrorCode::kMessageSizeExceeded,
          "the next message has a body over 1 MiB; receive it over ReceiveStream"};
}

}  // namespace

Dispatcher::Dispatcher(std::size_t receivers_per_lane_max, Release release, Left left,
                       DropBody drop_body)
    : receivers_per_lane_max_(receivers_per_lane_max),
      release_(std::move(release)),
      left_(std::move(left)),
      drop_body_(std::move(drop_body)) {}

Result<HolderId> Dispatcher::Attach(Receiver::Options options, std::shared_ptr<DeliverySink> sink) {
  LaneState& lane = lanes_[options.lane];
  if (lane.attached >= receivers_per_lane_max_) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("{} receivers are attached already, as many as an entity takes",
                              lane.attached));
  }
  last_id_ = last_id_.Next();
  auto receiver = std::make_shared<Receiver>(last_id_, options, std::move(sink));
  receivers_.emplace(last_id_, receiver);
  ++lane.attached;
  if (options.wait_until != kNever) {
    lane.leaving.push_back(receiver);
    deadlines_.emplace(options.wait_until, last_id_);
  }
  return last_id_;
}

Receiver* Dispatcher::Find(HolderId id) const {
  const auto found = receivers_.find(id);
  return found == receivers_.end() ? nullptr : found->second.get();
}

void Dispatcher::StandInLine(Receiver& receiver) {
  if (receiver.is_waiting || !receiver.has_credit()) return;
  Line& line = lanes_[receiver.options().lane].line;
  receiver.place = line.insert(line.end(), receivers_.at(receiver.id()));
  receiver.is_waiting = true;
}

void Dispatcher::LeaveLine(Receiver& receiver) {
  if (!receiver.is_waiting) return;
  lanes_[receiver.options().lane].line.erase(receiver.place);
  receiver.is_waiting = false;
}

void Dispatcher::Grant(HolderId id, const Credit& credit) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr || receiver->is_stopped) return;
  receiver->Grant(credit);
  StandInLine(*receiver);
}

void Dispatcher::Revoke(HolderId id, const Credit& credit) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  receiver->Revoke(credit);
  if (!receiver->has_credit()) LeaveLine(*receiver);
}

void Dispatcher::Drain(HolderId id) {
  const auto found = receivers_.find(id);
  if (found == receivers_.end() || found->second->is_draining) return;
  found->second->is_draining = true;
  lanes_[found->second->options().lane].leaving.push_back(found->second);
}

void Dispatcher::Stop(HolderId id, Turn& turn) {
  const auto found = receivers_.find(id);
  if (found == receivers_.end()) return;
  std::shared_ptr<Receiver> receiver = found->second;
  receiver->is_stopped = true;
  receiver->TakeCredit();
  LeaveLine(*receiver);
  turn.OnPublish([receiver](const Status& committed) {
    if (committed.ok() && !receiver->is_detached) receiver->sink().OnStopped();
  });
}

void Dispatcher::Remove(const std::shared_ptr<Receiver>& receiver) {
  const Receiver::Options& options = receiver->options();
  LeaveLine(*receiver);
  deadlines_.erase({options.wait_until, receiver->id()});
  LaneState& lane = lanes_.at(options.lane);
  auto& leaving = lane.leaving;
  leaving.erase(std::remove(leaving.begin(), leaving.end(), receiver), leaving.end());
  --lane.attached;
  receivers_.erase(receiver->id());
  left_(options.lane);
}

void Dispatcher::ForgetIfEmpty(LaneId lane) {
  const auto found = lanes_.find(lane);
  if (found != lanes_.end() && found->second.attached == 0) lanes_.erase(found);
}

void Dispatcher::Detach(HolderId id) {
  const auto found = receivers_.find(id);
  if (found == receivers_.end()) return;
  const std::shared_ptr<Receiver> receiver = found->second;
  receiver->is_detached = true;
  Remove(receiver);
  ForgetIfEmpty(receiver->options().lane);
}

void Dispatcher::EndWait(HolderId id, Turn& turn) {
  const auto found = receivers_.find(id);
  if (found == receivers_.end()) return;
  const std::shared_ptr<Receiver> receiver = found->second;
  End(receiver, Status::Ok(), turn);
  ForgetIfEmpty(receiver->options().lane);
}

// Not detached by its door: it still hears what it was given before, and then that it ended.
void Dispatcher::End(const std::shared_ptr<Receiver>& receiver, const Status& reason, Turn& turn) {
  Remove(receiver);
  turn.OnPublish([receiver, reason](const Status& committed) {
    if (!receiver->is_detached) receiver->sink().OnDetached(committed.ok() ? reason : committed);
  });
}

void Dispatcher::DetachAll(EntityId entity, const Status& reason, Turn& turn) {
  std::vector<std::shared_ptr<Receiver>> ending;
  for (const auto& [id, receiver] : receivers_) {
    if (receiver->options().lane.entity == entity) ending.push_back(receiver);
  }
  for (const auto& receiver : ending) {
    End(receiver, reason, turn);
    ForgetIfEmpty(receiver->options().lane);
  }
}

void Dispatcher::DetachEveryone(const Status& reason, Turn& turn) {
  while (!receivers_.empty()) {
    const std::shared_ptr<Receiver> receiver = receivers_.begin()->second;
    End(receiver, reason, turn);
    ForgetIfEmpty(receiver->options().lane);
  }
}

void Dispatcher::NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  receiver->NoteWritten(messages, bytes);
  StandInLine(*receiver);
}

void Dispatcher::NoteFreed(HolderId id) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  receiver->NoteFreed();
  StandInLine(*receiver);
}

bool Dispatcher::HasReceivers(EntityId entity) const {
  const auto lane = lanes_.lower_bound({entity, LaneKind::kMain});
  return lane != lanes_.end() && lane->first.entity == entity;
}

bool Dispatcher::IsWanted(LaneId lane) const {
  const auto found = lanes_.find(lane);
  return found != lanes_.end() && !found->second.line.empty();
}

bool Dispatcher::Match(Queue& queue, LaneKind kind, Turn& turn) {
  const auto found = lanes_.find(LaneId{queue.record().id, kind});
  if (found == lanes_.end()) return false;
  LaneState& lane = found->second;
  std::size_t served = 0;
  bool has_expired = false;
  while (!lane.line.empty() && served < kTurnMessages) {
    has_expired = queue.ExpireHeads(kind, turn.now, kTurnExpired, turn.changes);
    if (has_expired || !queue.CanDeliver(kind, turn.now)) break;
    ServeFirst(queue, lane, turn, served);
  }
  const bool has_more = !lane.line.empty() && (has_expired || queue.CanDeliver(kind, turn.now));
  FinishLeaving(queue, kind, lane, turn);
  ForgetIfEmpty({queue.record().id, kind});
  return has_more;
}

// A receiver that cannot take the head waits for a grant, or for something it holds to be settled.
void Dispatcher::ServeFirst(Queue& queue, LaneState& lane, Turn& turn, std::size_t& served) {
  const std::shared_ptr<Receiver> receiver = lane.line.front();
  const Receiver::Options& options = receiver->options();
  // Who leaves after its first deliveries gets all that it can take.
  const std::size_t budget = options.is_once ? kTurnMessages * 4 : kSliceMessages;
  const LaneKind kind = options.lane.kind;
  LeaveLine(*receiver);
  std::vector<Delivered> deliveries;
  bool can_take = true;
  while (deliveries.size() < budget && queue.CanDeliver(kind, turn.now)) {
    const MessageFacts& facts = queue.lane(kind).head()->message->facts;
    if (options.is_once && facts.has_large_body()) {
      if (deliveries.empty()) return End(receiver, TooLargeForOne(), turn);
      break;
    }
    const std::int64_t size = facts.size;
    can_take = receiver->CanTake(size);
    if (!can_take) break;
    receiver->Spend(size);
    deliveries.push_back(queue.Deliver(kind, options.mode, receiver->id(), turn.now, turn.changes));
  }
  served += deliveries.size();
  const bool leaves = options.is_once && !deliveries.empty();
  if (!deliveries.empty()) Deliver(receiver, std::move(deliveries), turn);
  if (leaves) {
    End(receiver, Status::Ok(), turn);
  } else if (can_take) {
    StandInLine(*receiver);
  }
}

void Dispatcher::Deliver(const std::shared_ptr<Receiver>& receiver,
                         std::vector<Delivered> deliveries, Turn& turn) {
  turn.OnPublish(
      [this, receiver, deliveries = std::move(deliveries)](const Status& committed) mutable {
        if (!committed.ok()) return;
        if (!receiver->is_detached) {
          receiver->sink().OnDeliveries(std::move(deliveries));
          return;
        }
        TakeBack(receiver->options().lane, deliveries);
      });
}

void Dispatcher::TakeBack(LaneId lane, const std::vector<Delivered>& deliveries) {
  std::vector<LockToken> tokens;
  tokens.reserve(deliveries.size());
  for (const Delivered& delivered : deliveries) {
    if (!delivered.token.is_zero()) {
      tokens.push_back(delivered.token);
    } else if (!delivered.message->has_body()) {
      drop_body_(*delivered.message->facts.body_ref);
    }
  }
  if (!tokens.empty()) release_(lane, std::move(tokens));
}

// Who drains or has waited long enough leaves when nothing is there for it.
void Dispatcher::FinishLeaving(const Queue& queue, LaneKind kind, LaneState& lane, Turn& turn) {
  if (lane.leaving.empty()) return;
  const bool has_something = HasSomething(queue, kind);
  const auto leaving = lane.leaving;
  for (const auto& receiver : leaving) {
    if (has_something && (receiver->is_waiting || receiver->is_pipe_full())) continue;
    if (receiver->is_draining) {
      receiver->is_draining = false;
      LeaveLine(*receiver);
      lane.leaving.erase(std::find(lane.leaving.begin(), lane.leaving.end(), receiver));
      turn.OnPublish([receiver, left = receiver->TakeCredit()](const Status& committed) {
        if (committed.ok() && !receiver->is_detached) receiver->sink().OnDrained(left);
      });
    } else if (receiver->options().wait_until <= turn.now) {
      End(receiver, Status::Ok(), turn);
    }
  }
}

std::vector<LaneId> Dispatcher::TakeDueLanes(Timestamp now) {
  std::vector<LaneId> due;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    due.push_back(receivers_.at(deadlines_.begin()->second)->options().lane);
    deadlines_.erase(deadlines_.begin());
  }
  return due;
}

Timestamp Dispatcher::next_deadline() const {
  return deadlines_.empty() ? kNever : deadlines_.begin()->first;
}

}  // namespace wharf
