#include "broker/engine/delivery/dispatcher.h"

#include <algorithm>
#include <cassert>

#include <fmt/core.h>

#include "broker/engine/delivery/delivery_traces.h"
#include "broker/engine/turn/acting.h"

namespace wharf {
namespace {

// What one receiver gets before the next in line.
constexpr std::size_t kSliceMessages = 128;
// What one lane hands out in a turn.
constexpr std::size_t kTurnMessages = 2048;

// What one answer gets in a turn; it may go on in the next.
constexpr std::size_t kBudgetOfOne = 8192;

// Expired messages at its head that a lane drops between two deliveries.
constexpr std::size_t kTurnExpired = 256;

// The same for one of many sessions of a receiver: each gets its part of the credit.
constexpr std::size_t kSessionSliceMessages = 16;

// A receiver that leaves after one answer has no use for a body that comes in chunks.
Status TooLargeForOne(SequenceNumber number) {
  return {ErrorCode::kMessageSizeExceeded,
          fmt::format("the next message, number {}, has a body over 1 MiB: receive it over "
                      "ReceiveStream, or settle it by its number",
                      number.value())};
}

}  // namespace

Dispatcher::Dispatcher(TouchedLanes& touched, Tasks& tasks, const Limits& limits, Release release,
                       Left left, DropBody drop_body)
    : touched_(touched),
      tasks_(tasks),
      receivers_per_lane_max_(limits.receivers_per_lane_max),
      holders_(limits.locked_per_connection_max),
      release_(std::move(release)),
      left_(std::move(left)),
      drop_body_(std::move(drop_body)) {}

Result<HolderId> Dispatcher::Attach(Receiver::Options options, const std::string& peer,
                                    std::shared_ptr<DeliverySink> sink) {
  LaneState& lane = lanes_[options.lane];
  if (lane.attached.size() >= receivers_per_lane_max_) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("{} receivers are attached already, as many as an entity takes",
                              lane.attached.size()));
  }
  const HolderId holder = options.is_once ? holders_.JoinCalls(peer, options.lane)
                                          : holders_.JoinStream(peer, options.lane);
  const HolderId id = options.is_once ? holders_.NewId() : holder;
  auto receiver = std::make_shared<Receiver>(id, holder, options, std::move(sink));
  receivers_.emplace(id, receiver);
  lane.attached.insert(id);
  if (options.wait_until != kNever) {
    lane.waits.emplace(options.wait_until, id);
    deadlines_.emplace(options.wait_until, id);
  }
  return id;
}

Receiver* Dispatcher::Find(HolderId id) const { return FindShared(id).get(); }

std::shared_ptr<Receiver> Dispatcher::FindShared(HolderId id) const {
  const auto found = receivers_.find(id);
  if (found == receivers_.end()) return nullptr;
  return ending_.Has(found->second->options().lane, id) ? nullptr : found->second;
}

void Dispatcher::TakeSeat(HolderId id, const LineId& line, std::uint64_t deliveries) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  const auto [taken, is_new] = receiver->seats.try_emplace(
      line, Seat{.receiver = *receiver, .line = line, .left = deliveries});
  assert(is_new);
  Seat& seat = taken->second;
  auto& state = lines_[line];
  if (!state) state = std::make_unique<LineState>();
  seat.place_at_line = state->seats.insert(state->seats.end(), &seat);
  Park(seat);
  StandInLines(*receiver);
}

void Dispatcher::StandInLine(Seat& seat) {
  Line& line = lines_.at(seat.line)->waiting;
  seat.place = line.insert(line.end(), &seat);
  seat.is_waiting = true;
  if (seat.line.session != SessionSerial()) stirred_.insert(seat.line);
}

// A receiver that can take nothing stays away: it would only be asked and sent away.
void Dispatcher::StandInLines(Receiver& receiver) {
  if (receiver.parked.empty() || !receiver.CanTake(1)) return;
  for (Seat* seat : std::exchange(receiver.parked, {})) {
    seat->is_parked = false;
    if (seat->left > 0) StandInLine(*seat);
  }
}

void Dispatcher::Park(Seat& seat) {
  Seat::List& parked = seat.receiver.parked;
  seat.place = parked.insert(parked.end(), &seat);
  seat.is_parked = true;
}

void Dispatcher::LeaveLine(Seat& seat) {
  if (!seat.is_waiting) return;
  lines_.at(seat.line)->waiting.erase(seat.place);
  seat.is_waiting = false;
}

void Dispatcher::LeaveLines(Receiver& receiver) {
  for (auto& [line, seat] : receiver.seats) {
    if (!seat.is_waiting) continue;
    LeaveLine(seat);
    Park(seat);
  }
}

// The seat is gone then.
void Dispatcher::LeaveSeat(Seat& seat) {
  LeaveLine(seat);
  Receiver& receiver = seat.receiver;
  const auto line = lines_.find(seat.line);
  line->second->seats.erase(seat.place_at_line);
  if (line->second->seats.empty()) {
    stirred_.erase(seat.line);
    lines_.erase(line);
  }
  if (seat.is_parked) receiver.parked.erase(seat.place);
  receiver.seats.erase(LineId(seat.line));
}

void Dispatcher::Grant(HolderId id, const Credit& credit) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr || receiver->is_stopped) return;
  receiver->Grant(credit);
  StandInLines(*receiver);
}

void Dispatcher::Revoke(HolderId id, const Credit& credit) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  receiver->Revoke(credit);
  if (!receiver->has_credit()) LeaveLines(*receiver);
}

void Dispatcher::Drain(HolderId id) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr || receiver->is_draining) return;
  receiver->is_draining = true;
  lanes_.at(receiver->options().lane).leaving.insert(id);
}

void Dispatcher::Stop(HolderId id, Turn& turn) {
  const std::shared_ptr<Receiver> receiver = FindShared(id);
  if (receiver == nullptr) return;
  receiver->is_stopped = true;
  receiver->TakeCredit();
  LeaveLines(*receiver);
  turn.OnCommitted([receiver](const Status& committed, Tellings& tellings) {
    if (!committed.ok() || receiver->is_detached) return;
    tellings.Add([receiver](const Status&) { receiver->sink().OnStopped(); });
  });
}

void Dispatcher::Remove(const std::shared_ptr<Receiver>& receiver, Timestamp now) {
  const Receiver::Options& options = receiver->options();
  left_(*receiver, now);
  while (!receiver->seats.empty()) LeaveSeat(receiver->seats.begin()->second);
  deadlines_.erase({options.wait_until, receiver->id()});
  LeaveLane(*receiver);
  held_back_.Remove(receiver->id());
  holders_.Leave(receiver->holder());
  receivers_.erase(receiver->id());
}

void Dispatcher::LeaveLane(const Receiver& receiver) {
  const Receiver::Options& options = receiver.options();
  if (ending_.Remove(options.lane, receiver.id())) return;
  LaneState& lane = lanes_.at(options.lane);
  lane.leaving.erase(receiver.id());
  lane.waits.erase({options.wait_until, receiver.id()});
  lane.attached.erase(receiver.id());
}

void Dispatcher::ForgetIfEmpty(LaneId lane) {
  const auto found = lanes_.find(lane);
  if (found != lanes_.end() && found->second.attached.empty()) lanes_.erase(found);
}

void Dispatcher::Detach(HolderId id, Timestamp now) {
  const auto found = receivers_.find(id);
  if (found == receivers_.end()) return;
  const std::shared_ptr<Receiver> receiver = found->second;
  receiver->is_detached = true;
  Remove(receiver, now);
  ForgetIfEmpty(receiver->options().lane);
}

void Dispatcher::EndWait(HolderId id, Turn& turn) { End(id, Status::Ok(), turn); }

void Dispatcher::End(HolderId id, const Status& reason, Turn& turn) {
  const std::shared_ptr<Receiver> receiver = FindShared(id);
  if (!receiver) return;
  End(receiver, reason, turn);
  ForgetIfEmpty(receiver->options().lane);
}

void Dispatcher::EndLine(const LineId& line, const EndedSession& session, Turn& turn) {
  const auto found = lines_.find(line);
  if (found == lines_.end()) return;
  const Line seats = found->second->seats;
  for (Seat* seat : seats) {
    const std::shared_ptr<Receiver> receiver = receivers_.at(seat->receiver.id());
    LeaveSeat(*seat);
    if (!receiver->options().has_many_sessions) {
      EndSoon(receiver->id(), session.reason, turn);
      continue;
    }
    turn.OnCommitted([receiver, session](const Status& committed, Tellings& tellings) {
      if (!committed.ok() || receiver->is_detached) return;
      tellings.Add(
          [receiver, session](const Status&) { receiver->sink().OnSessionEnded(session); });
    });
  }
  ForgetIfEmpty(line.lane);
}

// Not detached by its door: it still hears what it was given before, and then that it ended. When
// the log is closed, a receive that was told of all it was given is answered with that; of one that
// was given more nobody knows whether that is durable. Nor of a stream that takes messages for
// good: what it was given and not told may be nowhere any more.
void Dispatcher::End(const std::shared_ptr<Receiver>& receiver, const Status& reason, Turn& turn) {
  Remove(receiver, turn.now);
  turn.OnCommitted([receiver, reason](const Status&, Tellings& tellings) {
    if (receiver->is_detached) return;
    const Receiver::Options& options = receiver->options();
    const bool has_all = receiver->told() == receiver->received();
    const bool is_answered = options.is_once && receiver->has_received() && has_all;
    const bool is_in_doubt =
        !has_all && (options.is_once || options.mode == ReceiveMode::kReceiveAndDelete);
    tellings.Add([receiver, reason, is_answered, is_in_doubt](const Status& committed) {
      if (committed.ok()) return receiver->sink().OnDetached(reason);
      if (is_answered) return receiver->sink().OnDetached(Status::Ok());
      const Outcome outcome = is_in_doubt ? Outcome::kUnknown : committed.outcome();
      receiver->sink().OnDetached({committed.code(), committed.message(), outcome});
    });
  });
}

void Dispatcher::EndSoon(HolderId id, const Status& reason, Turn& turn) {
  if (!turn.may_end_more()) {
    return tasks_.Post([this, id, reason](Turn& later) { EndSoon(id, reason, later); },
                       Turn::kEndingWeight);
  }
  ++turn.endings;
  End(id, reason, turn);
}

void Dispatcher::BeginEnding(LaneId lane, const Status& reason) {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return;
  ending_.Add(lane, std::move(found->second.attached), reason);
  lanes_.erase(found);
}

void Dispatcher::EndSome(Turn& turn) {
  for (; turn.may_end_more() && HasEnding(); ++turn.endings) {
    const EndingReceivers::Next next = *ending_.next();
    End(std::shared_ptr(receivers_.at(next.receiver)), next.reason, turn);
  }
  if (HasEnding()) GoOnLater();
}

// When everyone ends, lanes are named one by one, as their receivers come to it.
bool Dispatcher::HasEnding() {
  while (ending_.empty() && ending_.everyone() && !lanes_.empty()) {
    BeginEnding(LaneId(lanes_.begin()->first), *ending_.everyone());
  }
  return !ending_.empty();
}

void Dispatcher::ForgetSome(Turn& turn) {
  for (; turn.may_end_more() && holders_.has_forgotten(); ++turn.endings) {
    const std::optional<HolderId> connection = holders_.ForgetNext();
    if (connection) held_back_.NoteRoomFor(*connection);
  }
  if (holders_.has_forgotten()) GoOnLater();
}

// Also when the shard is closed: then nothing is due any more, but tasks are planned.
void Dispatcher::GoOnLater() {
  if (std::exchange(goes_on_, true)) return;
  tasks_.Post([this](Turn& turn) {
    goes_on_ = false;
    EndSome(turn);
    ForgetSome(turn);
    WakeSome(turn);
    for (const LaneId lane : TakeWoken()) touched_.Touch(lane);
  });
}

void Dispatcher::DetachAll(EntityId entity, const Status& reason, Turn& turn) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    BeginEnding({entity, kind}, reason);
  }
  EndSome(turn);
}

void Dispatcher::OnEntityChanged(Queue& queue, Turn& turn) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const Status allowed = queue.receiving().Check(kind);
    if (!allowed.ok()) BeginEnding({queue.id(), kind}, allowed);
  }
  EndSome(turn);
}

void Dispatcher::OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) {
  DetachAll(entity, reason, turn);
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    holders_.Forget({entity, kind});
  }
  ForgetSome(turn);
  WakeSome(turn);
}

void Dispatcher::OnUnreadable(LaneId lane, const Status& reason, Turn& turn) {
  DetachAll(lane.entity, reason, turn);
}

void Dispatcher::DetachEveryone(const Status& reason, Turn& turn) {
  ending_.AddEveryone(reason);
  EndSome(turn);
}

void Dispatcher::NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  receiver->NoteWritten(messages, bytes);
  StandInLines(*receiver);
}

// What one settles is left for all others on the lane.
void Dispatcher::NoteFreed(LaneId lane, const std::vector<HolderId>& holders, Turn& turn) {
  for (const HolderId id : holders) {
    const std::optional<HolderId> connection = holders_.NoteFreed(id);
    if (connection) held_back_.NoteRoomFor(*connection);
    Receiver* receiver = Find(id);
    if (receiver == nullptr) continue;
    receiver->NoteFreed();
    StandInLines(*receiver);
  }
  if (!holders.empty()) held_back_.NoteRoomOn(lane);
  WakeSome(turn);
}

void Dispatcher::WakeSome(Turn& turn) {
  for (; turn.may_wake_more(); ++turn.wakes) {
    const std::optional<HolderId> next = held_back_.TakeNext();
    if (!next) return;
    Wake(*next);
  }
  if (held_back_.has_next()) GoOnLater();
}

void Dispatcher::Wake(HolderId id) {
  Receiver* receiver = Find(id);
  if (receiver == nullptr) return;
  StandInLines(*receiver);
  woken_.push_back(receiver->options().lane);
}

bool Dispatcher::HasWaiting(EntityId entity) const {
  if (ending_.everyone()) return false;
  for (auto lane = lanes_.lower_bound({entity, LaneKind::kMain});
       lane != lanes_.end() && lane->first.entity == entity; ++lane) {
    const auto& attached = lane->second.attached;
    const auto has_credit = [this](HolderId id) { return receivers_.at(id)->has_credit(); };
    if (std::any_of(attached.begin(), attached.end(), has_credit)) return true;
  }
  return false;
}

bool Dispatcher::IsWanted(const LineId& line) const {
  const auto found = lines_.find(line);
  return found != lines_.end() && !found->second->waiting.empty();
}

bool Dispatcher::IsWanted(LaneId lane) const { return IsWanted(LineId{lane}); }

const Seat* Dispatcher::FirstSeatAt(const LineId& line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() ? nullptr : found->second->seats.front();
}

std::vector<SessionSerial> Dispatcher::TakeStirred(LaneId lane) {
  std::vector<SessionSerial> sessions;
  auto it = stirred_.lower_bound(LineId{lane});
  while (it != stirred_.end() && it->lane == lane) {
    sessions.push_back(it->session);
    it = stirred_.erase(it);
  }
  return sessions;
}

bool Dispatcher::Match(Queue& queue, const LineId& line, const Source& source, Turn& turn) {
  if (!lines_.contains(line)) return false;
  if (IsEnding(line.lane)) return true;
  // Receivers that leave may take the line with them.
  const auto is_waiting = [this, &line] { return IsWanted(line); };
  std::size_t served = 0;
  bool has_expired = false;
  while (is_waiting() && served < kTurnMessages) {
    has_expired = queue.receiving().ExpireHeads(source, turn.now, kTurnExpired, turn.changes);
    if (has_expired || !queue.receiving().CanDeliver(source, turn.now)) break;
    Line& waiting = lines_.at(line)->waiting;
    const bool has_many_sessions = waiting.front()->receiver.options().has_many_sessions;
    ServeFirst(queue, source, waiting, turn, served);
    if (has_many_sessions) break;
  }
  return is_waiting() && (has_expired || queue.receiving().CanDeliver(source, turn.now));
}

Dispatcher::Served Dispatcher::Serve(Queue& queue, const Source& source, Seat& seat, Turn& turn) {
  Receiver& receiver = seat.receiver;
  const Receiver::Options& options = receiver.options();
  const bool has_locks = options.mode == ReceiveMode::kPeekLock;
  const std::size_t left = queue.receiving().locks_left(source.kind);
  const std::size_t allowed =
      has_locks ? holders_.Allowance(receiver.holder(), left) : kBudgetOfOne;
  // A receiver that leaves after one answer gets all that it can take.
  std::size_t budget = options.has_many_sessions ? kSessionSliceMessages : kSliceMessages;
  if (options.is_once) budget = kBudgetOfOne;
  Served served;
  const Acting acting(turn, options.actor);
  while (served.deliveries.size() < budget && seat.left > 0 &&
         queue.receiving().CanDeliver(source, turn.now)) {
    const StoredMessage& head = *queue.receiving().Head(source);
    const std::int64_t size = head.facts.size;
    if (options.is_once && head.facts.has_large_body()) {
      served.refused = TooLargeForOne(head.number);
    } else if (served.deliveries.size() >= allowed) {
      served.refused = holders_.Refusal(receiver.holder(), left);
    }
    served.can_take = receiver.CanTake(size);
    if (!served.can_take || !served.refused.ok()) break;
    receiver.Spend(size);
    if (seat.left != Seat::kUnlimitedDeliveries) --seat.left;
    served.deliveries.push_back(
        queue.receiving().Deliver(source, options.mode, receiver.holder(), turn.now, turn.changes));
    const Delivered& delivered = served.deliveries.back();
    NoteHandedOut(queue, source.kind, delivered, turn);
    if (source.kind == LaneKind::kMain && delivered.delivery.count == 0) {
      const Duration waited = turn.now - delivered.message->enqueued_at;
      turn.waits.push_back(waited);
      if (queue.latencies() != nullptr) turn.timed_waits.emplace_back(queue.latencies(), waited);
    }
  }
  if (has_locks) holders_.NoteLocked(receiver.holder(), served.deliveries.size());
  return served;
}

// A receiver that cannot take the head waits for a grant, or for something it holds to be settled.
// An answer ends then if it has begun; else it goes on in the next turns, as long as there is more
// that only has to be read (STA-5). One that takes messages for good ends with the first turn that
// has any: the log may close behind that, and then nobody knows what became of those of the next
// (RCV-1).
void Dispatcher::ServeFirst(Queue& queue, const Source& source, Line& line, Turn& turn,
                            std::size_t& served) {
  Seat& seat = *line.front();
  const std::shared_ptr<Receiver> receiver = receivers_.at(seat.receiver.id());
  const bool is_once = receiver->options().is_once;
  LeaveLine(seat);
  Served got = Serve(queue, source, seat, turn);
  // One that is refused costs time as well.
  served += std::max<std::size_t>(got.deliveries.size(), 1);
  if (!got.deliveries.empty()) {
    held_back_.Remove(receiver->id());
    Deliver(receiver, std::move(got.deliveries), turn);
  }
  if (is_once && !receiver->has_received() && !got.refused.ok()) {
    return End(receiver, got.refused, turn);
  }
  const bool is_for_good = receiver->options().mode == ReceiveMode::kReceiveAndDelete;
  const bool is_done = is_for_good || !got.can_take || !got.refused.ok() || !receiver->has_credit();
  if (is_once && receiver->has_received() && is_done) return End(receiver, Status::Ok(), turn);
  if (is_once && receiver->has_received()) {
    lanes_.at(receiver->options().lane).leaving.insert(receiver->id());
  }
  Park(seat);
  if (!got.refused.ok()) {
    held_back_.Add(receiver->id(), receiver->options().lane,
                   holders_.ConnectionOf(receiver->holder()));
  } else if (got.can_take) {
    StandInLines(*receiver);
  }
}

void Dispatcher::Deliver(const std::shared_ptr<Receiver>& receiver,
                         std::vector<Delivered> deliveries, Turn& turn) {
  turn.OnCommitted([this, receiver, deliveries = std::move(deliveries)](
                       const Status& committed, Tellings& tellings) mutable {
    if (!committed.ok()) {
      if (committed.outcome() == Outcome::kNotDone) receiver->NoteNotGiven(deliveries.size());
      return;
    }
    if (receiver->is_detached) return TakeBack(receiver->options().lane, deliveries);
    receiver->NoteTold(deliveries.size());
    tellings.Add([receiver, deliveries = std::move(deliveries)](const Status&) mutable {
      receiver->sink().OnDeliveries(std::move(deliveries));
    });
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

// Without another caller doing anything: then its wait is not over, even if the message has to be
// read first.
bool Dispatcher::HasSomething(Queue& queue, LaneKind kind, const Receiver& receiver) {
  for (const auto& [line, seat] : receiver.seats) {
    if (!seat.is_waiting && !receiver.is_pipe_full()) continue;
    Source source{kind};
    if (line.session != SessionSerial()) {
      source.session = queue.lane(kind).sessions()->Find(line.session);
      if (source.session == nullptr) continue;
    }
    if (queue.receiving().MayDeliver(source)) return true;
  }
  return false;
}

// Those whose time is not over cost nothing, however many wait.
std::vector<HolderId> Dispatcher::LeavingOf(Queue& queue, LaneKind kind, const LaneState& lane,
                                            Timestamp now, std::size_t count_max) const {
  std::vector<HolderId> found;
  const auto take = [&](HolderId leaving) {
    if (!HasSomething(queue, kind, *receivers_.at(leaving))) found.push_back(leaving);
  };
  for (auto leaving = lane.leaving.begin();
       leaving != lane.leaving.end() && found.size() < count_max; ++leaving) {
    take(*leaving);
  }
  for (auto wait = lane.waits.begin();
       wait != lane.waits.end() && wait->first <= now && found.size() < count_max; ++wait) {
    if (!lane.leaving.contains(wait->second)) take(wait->second);
  }
  return found;
}

void Dispatcher::FinishLeaving(Queue& queue, LaneKind kind, Turn& turn) {
  const LaneId id{queue.id(), kind};
  const auto found = lanes_.find(id);
  if (found == lanes_.end() || ending_.everyone()) return;
  const std::size_t room = Turn::kEndingsMax - turn.endings;
  std::vector<HolderId> leaving = LeavingOf(queue, kind, found->second, turn.now, room + 1);
  if (leaving.size() > room) {
    leaving.pop_back();
    touched_.TouchLater(id);
  }
  turn.endings += leaving.size();
  for (const HolderId each : leaving) Leave(std::shared_ptr(receivers_.at(each)), turn);
  ForgetIfEmpty(id);
}

void Dispatcher::Leave(const std::shared_ptr<Receiver>& receiver, Turn& turn) {
  if (!receiver->is_draining) return End(receiver, Status::Ok(), turn);
  receiver->is_draining = false;
  LeaveLines(*receiver);
  lanes_.at(receiver->options().lane).leaving.erase(receiver->id());
  turn.OnCommitted(
      [receiver, left = receiver->TakeCredit()](const Status& committed, Tellings& tellings) {
        if (!committed.ok() || receiver->is_detached) return;
        tellings.Add([receiver, left](const Status&) { receiver->sink().OnDrained(left); });
      });
}

// As many as may end in a turn; the others are due in the next.
void Dispatcher::PlanDue(Turn& turn) {
  for (std::size_t over = 0; over < Turn::kEndingsMax; ++over) {
    if (next_deadline() > turn.now) return;
    touched_.Touch(receivers_.at(deadlines_.begin()->second)->options().lane);
    deadlines_.erase(deadlines_.begin());
  }
}

Timestamp Dispatcher::next_deadline() const {
  return deadlines_.empty() ? kNever : deadlines_.begin()->first;
}

}  // namespace wharf
