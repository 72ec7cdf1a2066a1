#include "broker/core/queue/lane.h"

#include <cassert>

namespace wharf {

Lane::Lane(LaneId id, Image image, const LaneLimits& limits, Watches& watches)
    : id_(id),
      life_(image.life),
      run_limits_(limits.spans.run),
      watches_(watches),
      counters_(image.counters),
      written_use_(
          image.written_use.value_or(WrittenUse{counters_.active_at, counters_.accessed_at})),
      written_counts_(counters_),
      spans_(std::move(image.spans), limits.spans),
      shared_hints_(limits.hint_length) {
  MakeOrder(image, limits);
  if (image.is_partitioned && counters_.next_numbers.empty()) {
    for (PartitionId partition = 1; partition < kPartitions; ++partition) {
      counters_.next_numbers.push_back(FirstNumberOf(partition));
    }
  }
  for (LockedRow& row : image.locked) {
    CheckNotExpired(row.lock.number);
    AddLock(row.token, std::move(row.lock));
  }
}

// Sessions and partitions have more to be remembered: which sessions there are, whose turn it is.
bool Lane::Rest(Timestamp now, RestingLane& lane, RestingEntity& entity) const {
  const bool is_in_use = counters_changed_ || has_arrived_ || !freed_holders_.empty() ||
                         !spans_.all().empty() || shared_hints_.HasOpen(now) ||
                         !contradiction_.ok();
  if (is_in_use || sessions_ != nullptr) return false;
  lane = {.cursor = counters_.cursor, .generation = counters_.generation};
  entity = {.next_number = counters_.next_number,
            .scheduled_floor = counters_.scheduled_floor,
            .accessed_at = counters_.accessed_at,
            .active_at = counters_.active_at,
            .written_use = written_use_};
  return counters_ == lane.CountersOf(entity) && written_counts_ == MessageCounts();
}

Lane::Image Lane::ImageOf(const RestingLane& lane, const RestingEntity& entity,
                          std::uint32_t life) {
  Image image;
  image.counters = lane.CountersOf(entity);
  image.life = life;
  image.written_use = entity.written_use;
  return image;
}

void Lane::CheckNotExpired(SequenceNumber number) {
  if (spans_.Covers(number))
    NoteContradiction("a message is there that was counted out as expired");
}

// Here it is asked which kind of lane this is, and nowhere else.
void Lane::MakeOrder(Image& image, const LaneLimits& limits) {
  if (image.has_sessions) {
    // What is asked for in one life never means a session of another.
    const SessionSerial last(std::uint64_t{life_} << 32);
    auto order =
        std::make_unique<SessionOrder>(shelf(), std::move(image.sessions), limits.sessions, last);
    sessions_ = &order->book();
    order_ = std::move(order);
  } else if (image.tracks != TrackKind::kNone) {
    auto order = std::make_unique<TrackOrder>(image.tracks, !has_ready(), limits.window);
    tracks_ = &order->tracks();
    open_order_ = order.get();
    order_ = std::move(order);
  } else {
    auto order = std::make_unique<CursorOrder>(counters_, limits.window);
    open_order_ = cursor_order_ = order.get();
    order_ = std::move(order);
  }
}

void Lane::AddLock(const LockToken& token, Lock lock) {
  if (sessions_ != nullptr) sessions_->NoteLocked(lock.facts.session_id, lock.number, token);
  locks_.Add(token, std::move(lock));
}

SequenceNumber Lane::TakeNumber(PartitionId partition) {
  LaneCounters& counters = change_counters();
  SequenceNumber& next =
      partition == 0 ? counters.next_number : counters.next_numbers[partition - 1U];
  return std::exchange(next, next.Next());
}

namespace {

// Times of use are kept to the minute: the row of counters is written for them alone so often, and
// no more.
constexpr Duration kGrain = std::chrono::minutes(1);

}  // namespace

void Lane::NoteActivity(Timestamp now) {
  counters_.active_at = now;
  if (now - written_use_.active_at >= kGrain) counters_changed_ = true;
}

void Lane::NoteAccess(Timestamp now) {
  NoteActivity(now);
  counters_.accessed_at = now;
  if (now - written_use_.accessed_at >= kGrain) counters_changed_ = true;
}

bool Lane::TakeCountersChanged() {
  if (!std::exchange(counters_changed_, false)) return false;
  written_use_ = {counters_.active_at, counters_.accessed_at};
  written_counts_ = counters_;
  return true;
}

void Lane::NoteContradiction(const char* what) {
  if (!contradiction_.ok()) return;
  contradiction_ =
      Status(ErrorCode::kGeneralError,
             id_.kind == LaneKind::kMain ? what : std::string("in its dead-letter queue ") + what);
}

void Lane::CheckRead() {
  const char* const wrong = order_->Contradiction(counters_);
  if (wrong != nullptr) NoteContradiction(wrong);
}

void Lane::AssertWhole() const {
  if (!contradiction_.ok()) return;
  assert(static_cast<std::int64_t>(locks_.size()) == counters_.locked);
  assert(locks_.deadlines() <= locks_.size());
  assert(order_->Contradiction(counters_) == nullptr);
}

std::int64_t Lane::Count(std::int64_t& counter, std::int64_t by, const char* what) {
  counters_changed_ = true;
  if (counter + by < 0) {
    if (!counters_.is_uncertain) NoteContradiction(what);
    by = -counter;
  }
  counter += by;
  return by;
}

void Lane::CountScheduled(std::int64_t messages, std::int64_t bytes) {
  Count(counters_.scheduled, messages, "there are more scheduled messages than are counted");
  const std::int64_t counted = Count(counters_.scheduled_bytes, bytes,
                                     "scheduled messages have more bytes than are counted");
  AddToTotals(counted);
  EndUncertainty();
}

void Lane::CountUnreadableScheduled() {
  change_counters().is_uncertain = true;
  CountScheduled(-1, 0);
}

void Lane::CountSessionState(std::int64_t bytes) {
  const std::int64_t counted = Count(counters_.session_state_bytes, bytes,
                                     "states of sessions have more bytes than are counted");
  AddToTotals(counted);
}

void Lane::CountBytes(std::int64_t bytes) {
  const std::int64_t counted =
      Count(counters_.bytes, bytes, "messages have more bytes than are counted");
  AddToTotals(counted);
  EndUncertainty();
}

void Lane::AddToTotals(std::int64_t bytes) {
  if (total_ != nullptr) *total_ += bytes;
  if (namespace_size_ != nullptr) namespace_size_->Count(bytes);
}

void Lane::CountSeparateBody(std::int64_t by) {
  if (!counters_.knows_separate_bodies) return;
  Count(counters_.separate_bodies, by, "messages have more bodies than are counted");
}

void Lane::CountIn(const MessageFacts& facts) {
  if (facts.body_ref) CountSeparateBody(1);
  CountBytes(facts.size);
}

void Lane::CountAway(const MessageFacts& facts) {
  if (facts.body_ref) CountSeparateBody(-1);
  CountBytes(-facts.size);
}

void Lane::CountOut(Standing standing) {
  Count(change_counters().of(standing), -1, "there are more messages than are counted");
}

void Lane::CountInto(std::int64_t* total) {
  if (total_ != nullptr) *total_ -= counters_.all_bytes();
  total_ = total;
  if (total_ != nullptr) *total_ += counters_.all_bytes();
}

void Lane::CountIntoNamespace(NamespaceSize* size) {
  if (namespace_size_ != nullptr) namespace_size_->Count(-counters_.all_bytes());
  namespace_size_ = size;
  if (namespace_size_ != nullptr) namespace_size_->Count(counters_.all_bytes());
}

// Of a session all messages expire with the first, so each is looked at by itself.
void Lane::ShareHint(StoredMessage& message, Changes& changes) {
  message.facts.shares_hint =
      open_order_ != nullptr && shared_hints_.Take(shelf(), message, changes);
}

void Lane::Append(const std::shared_ptr<StoredMessage>& message, Changes& changes) {
  ShareHint(*message, changes);
  order_->AddFresh(message, counters_, changes);
  ++change_counters().fresh;
  CountIn(message->facts);
}

void Lane::Enqueue(std::shared_ptr<StoredMessage> message, Changes& changes) {
  Append(message, changes);
  changes.push_back(MessageEnqueued{shelf(), std::move(message)});
}

const StoredMessage* Lane::head(const Session* session) const {
  const Order::Next next = order_->next(session, counters_);
  return next.message == nullptr ? nullptr : next.message->get();
}

std::optional<FoundMessage> Lane::FindHead(const Session* session) const {
  const Order::Next next = order_->next(session, counters_);
  if (next.message == nullptr) return std::nullopt;
  return FoundMessage{next.standing, *next.delivery, *next.message};
}

ReadyHead Lane::PopHead(Session* session) {
  ReadyHead head = order_->Pop(session, change_counters());
  CountOut(head.from);
  watches_.Note(id_, head.message->number);
  return head;
}

ReadyHead Lane::LockHead(Session* session, const LockToken& token, Timestamp until,
                         const LockOwner& owner, Changes& changes) {
  ReadyHead head = PopHead(session);
  const SequenceNumber number = head.message->number;
  const MessageFacts& facts = head.message->facts;
  ++change_counters().locked;
  AddLock(token, Lock{number, until, head.delivery, facts, owner});
  changes.push_back(MessageLocked{shelf(), number, token, until, head.delivery, facts, head.from});
  return head;
}

ReadyHead Lane::ConsumeHead(Session* session, Changes& changes) {
  ReadyHead head = PopHead(session);
  CountAway(head.message->facts);
  changes.push_back(MessageConsumed{shelf(), head.message->number, head.message->facts, head.from});
  return head;
}

ReadyHead Lane::ExtractHead() {
  ReadyHead head = PopHead(nullptr);
  CountAway(head.message->facts);
  return head;
}

void Lane::Renew(const LockToken& token, Timestamp until, Changes& changes) {
  locks_.Renew(token, until);
  const Lock& lock = *locks_.Get(token);
  changes.push_back(LockRenewed{shelf(), lock.number, token, until, lock.delivery, lock.facts,
                                lock.was_deferred});
}

Lock Lane::RemoveLock(const LockToken& token) {
  Lock lock = locks_.Remove(token);
  --change_counters().locked;
  if (sessions_ != nullptr) sessions_->NoteUnlocked(lock.facts.session_id, lock.number);
  watches_.Note(id_, lock.number);
  freed_holders_.push_back(lock.owner.holder);
  return lock;
}

Lock Lane::Extract(const LockToken& token) {
  Lock lock = RemoveLock(token);
  CountAway(lock.facts);
  return lock;
}

void Lane::Complete(const LockToken& token, Changes& changes) {
  const Lock lock = Extract(token);
  changes.push_back(MessageCompleted{shelf(), lock.number, lock.facts});
}

void Lane::AddReturned(SequenceNumber number, const Delivery& delivery, const MessageFacts& facts,
                       Changes& changes) {
  order_->AddBack({number, delivery, facts}, Standing::kReturned, counters_, changes);
  ++change_counters().returned;
}

void Lane::Return(const LockToken& token, Delivery delivery, ReturnCause cause, Changes& changes) {
  const Lock lock = RemoveLock(token);
  AddReturned(lock.number, delivery, lock.facts, changes);
  changes.push_back(MessageReturned{shelf(), lock.number, std::move(delivery), lock.facts, cause});
}

void Lane::Delay(const LockToken& token, Delivery delivery, Timestamp available_at,
                 ReturnCause cause, Changes& changes) {
  const Lock lock = RemoveLock(token);
  order_->AddBack({lock.number, delivery, lock.facts}, Standing::kDelayed, counters_, changes);
  ++change_counters().delayed;
  changes.push_back(
      MessageDelayed{shelf(), lock.number, std::move(delivery), lock.facts, available_at, cause});
}

void Lane::Defer(const LockToken& token, Delivery delivery, ReturnCause cause, Changes& changes) {
  const Lock lock = RemoveLock(token);
  ++change_counters().deferred;
  changes.push_back(MessageDeferred{shelf(), lock.number, std::move(delivery), lock.facts, cause});
}

// With tracks there is no cursor; in sessions, and where nothing is fresh, nobody asks.
void Lane::NoteTaken(SequenceNumber number, Standing from) {
  const bool is_asked_for = from == Standing::kFresh && open_order_ != nullptr;
  if (is_asked_for && number >= counters_.cursor) change_counters().RaiseTakenEnd(number);
}

// A level has its numbers among those of other levels.
bool Lane::KnowsAllFresh(SequenceNumber first) const {
  const bool has_own_numbers = tracks_ == nullptr || tracks_->has_own_numbers();
  return has_own_numbers && first >= counters_.cursor &&
         first >= counters_.taken_end(PartitionOf(first));
}

// Messages are passed only on their way to another entity, and do not expire there.
bool Lane::CanExpireRuns() const {
  return id_.kind == LaneKind::kMain && open_order_ != nullptr && passed() == 0 &&
         !counters_.is_uncertain && contradiction_.ok();
}

MessageRun Lane::ReadyRun(Timestamp now) const {
  const StoredMessage* const first = head(nullptr);
  if (first == nullptr) return {};
  const auto between =
      KnowsAllFresh(first->number) ? MessageRun::Between::kGone : MessageRun::Between::kUnknown;
  MessageRun run = open_order_->ReadyRun(now, between, run_limits_);
  return run.first == first->number ? std::move(run) : MessageRun();
}

bool Lane::IsWorthASpan(const MessageRun& run) const {
  return run.count >= run_limits_.count_min || (run.count > 0 && spans_.MayGrowBy(run));
}

// Who reads now may bring what a span covered, and the lane cannot tell any more that it is gone.
// In `order` no ranges are deleted, and of a level it is not known which numbers it has: there each
// message would cost more than if it went by itself.
void Lane::MakeRoomFor(const MessageRun& run, Changes& changes) {
  const bool has_levels = tracks_ != nullptr && !tracks_->has_own_numbers();
  if (has_levels) return;
  const auto deletion =
      tracks_ == nullptr ? Spans::Deletion::kInRanges : Spans::Deletion::kOneByOne;
  for (Span& span : spans_.MakeRoomFor(run, deletion)) {
    watches_.NoteSpan(id_, span);
    open_order_->DiscardReads();
    const auto track = tracks_ == nullptr ? std::nullopt : std::optional(PartitionOf(span.first));
    changes.push_back(SpanForgotten{shelf(), std::move(span), track});
  }
}

bool Lane::ExpireRun(const MessageRun& run, Timestamp now, Changes& changes) {
  if (!IsWorthASpan(run)) return false;
  MakeRoomFor(run, changes);
  if (!spans_.HasRoomFor(run)) return false;
  Count(counters_.fresh, -run.count, "more messages expired than are counted");
  Spans::Grown grown = spans_.Add(run, now);
  open_order_->RemoveSpan(grown.span, counters_);
  changes.push_back(MessagesExpired{shelf(), run.first, run.last, run.count, run.bytes,
                                    std::move(grown.span), std::move(grown.absorbed)});
  CountBytes(-run.bytes);
  CheckRead();
  return true;
}

// A message that nobody holds leaves its standing.
void Lane::TakeOut(const FoundMessage& found, Changes& changes) {
  const SequenceNumber number = found.message->number;
  const Standing from = found.standing;
  assert(from != Standing::kLocked);
  CheckNotExpired(number);
  NoteTaken(number, from);
  order_->Remove(number, found.message->facts, from, changes);
  CountOut(from);
  CheckRead();
  watches_.Note(id_, number);
}

void Lane::LockFound(const FoundMessage& found, const LockToken& token, Timestamp until,
                     const LockOwner& owner, Changes& changes) {
  const SequenceNumber number = found.message->number;
  const MessageFacts& facts = found.message->facts;
  TakeOut(found, changes);
  ++change_counters().locked;
  Lock lock{number, until, found.delivery, facts, owner};
  lock.was_deferred = found.standing == Standing::kDeferred;
  AddLock(token, std::move(lock));
  changes.push_back(
      MessageLocked{shelf(), number, token, until, found.delivery, facts, found.standing});
}

void Lane::ExtractFound(const FoundMessage& found, Changes& changes) {
  TakeOut(found, changes);
  CountAway(found.message->facts);
}

void Lane::ConsumeFound(const FoundMessage& found, Changes& changes) {
  ExtractFound(found, changes);
  changes.push_back(
      MessageConsumed{shelf(), found.message->number, found.message->facts, found.standing});
}

void Lane::Remove(const FoundMessage& found, RemovalCause cause, Changes& changes) {
  ExtractFound(found, changes);
  changes.push_back(
      MessageRemoved{shelf(), found.message->number, found.message->facts, found.standing, cause});
  if (found.standing == Standing::kQuarantined) CountAgain();
}

// Of a guess only what is seen of the others tells whether it was counted; of delays nothing tells.
void Lane::Quarantine(UnreadableMessage message, Timestamp now, Changes& changes) {
  const bool is_size_known = message.facts.size > 0;
  if (message.is_guess || !is_size_known) change_counters().is_uncertain = true;
  NoteTaken(message.number, message.standing);
  order_->Remove(message.number, message.facts, message.standing, changes);
  if (!message.is_guess || message.standing == Standing::kDelayed) CountOut(message.standing);
  EnterQuarantine(std::move(message), now, changes);
}

void Lane::QuarantineLocked(const LockToken& token, std::string reason, Timestamp now,
                            Changes& changes) {
  Lock lock = RemoveLock(token);
  EnterQuarantine({.number = lock.number,
                   .reason = std::move(reason),
                   .standing = Standing::kLocked,
                   .delivery = std::move(lock.delivery),
                   .facts = std::move(lock.facts)},
                  now, changes);
}

void Lane::EnterQuarantine(UnreadableMessage message, Timestamp now, Changes& changes) {
  ++change_counters().quarantined;
  watches_.Note(id_, message.number);
  changes.push_back(MessageQuarantined{
      shelf(), message.number, std::move(message.delivery), std::move(message.facts),
      QuarantineNote{now, message.standing, std::move(message.reason)}});
}

// A reader may come to its number as to that of a fresh message, and passes it.
void Lane::QuarantineScheduled(SequenceNumber number, SequenceNumber scheduled_number,
                               UnreadableScheduled unreadable, Timestamp now, Changes& changes) {
  ++change_counters().quarantined;
  CountUnreadableScheduled();
  NoteTaken(number, Standing::kFresh);
  NoteScheduled(scheduled_number);
  std::string reason = "scheduled message " + std::to_string(scheduled_number.value()) +
                       " cannot be read: " + unreadable.reason;
  changes.push_back(ScheduledQuarantined{shelf(), number, scheduled_number, unreadable.time,
                                         std::move(unreadable.record),
                                         QuarantineNote{now, Standing::kFresh, std::move(reason)}});
}

// When all that can be read is in memory it is known how much it is.
void Lane::CountAgain() {
  if (!counters_.is_uncertain || cursor_order_ == nullptr) return;
  const auto fresh = cursor_order_->AllFresh(counters_);
  if (fresh && *fresh != counters_.fresh) change_counters().fresh = *fresh;
  const auto returned = cursor_order_->AllReturned();
  if (returned && *returned != counters_.returned) change_counters().returned = *returned;
  EndUncertainty();
}

// In an empty lane there is nothing that could be counted wrongly, nor that bytes could be of. What
// is scheduled may be what was counted wrongly.
void Lane::EndUncertainty() {
  const bool is_certain = !counters_.is_uncertain && counters_.knows_separate_bodies;
  if (is_certain || counters_.messages() > 0) return;
  change_counters().separate_bodies = 0;
  counters_.knows_separate_bodies = true;
  if (!counters_.is_uncertain || counters_.scheduled > 0) return;
  counters_.is_uncertain = false;
  CountBytes(-counters_.bytes);
  CountScheduled(0, -counters_.scheduled_bytes);
}

void Lane::EndDelay(const FoundMessage& found, Changes& changes) {
  const SequenceNumber number = found.message->number;
  TakeOut(found, changes);
  AddReturned(number, found.delivery, found.message->facts, changes);
  changes.push_back(
      MessageDelayEnded{shelf(), number, found.delivery, found.message->facts, found.available_at});
}

void Lane::Undefer(const FoundMessage& found, Changes& changes) {
  const SequenceNumber number = found.message->number;
  TakeOut(found, changes);
  AddReturned(number, found.delivery, found.message->facts, changes);
  changes.push_back(MessageUndeferred{shelf(), number, found.delivery, found.message->facts});
}

void Lane::Insert(const MessagePtr& message, const Delivery& delivery, Changes& changes) {
  AddReturned(message->number, delivery, message->facts, changes);
  CountIn(message->facts);
  watches_.Note(id_, message->number);
  has_arrived_ = true;
}

namespace {

SequenceNumber NumberOf(const MessagePtr& message) { return message->number; }
SequenceNumber NumberOf(const WaitingMessage& message) { return message.number; }
SequenceNumber NumberOf(const UnreadableMessage& message) { return message.number; }

}  // namespace

std::optional<WindowRead> Lane::NextRead(bool is_wanted) {
  return cursor_order_ == nullptr ? std::nullopt : cursor_order_->NextRead(counters_, is_wanted);
}

template <typename Batch>
void Lane::LeaveOutExpired(Batch& batch) const {
  std::erase_if(batch.messages, [this](const auto& each) { return spans_.Covers(NumberOf(each)); });
  std::erase_if(batch.unreadable,
                [this](const auto& each) { return spans_.Covers(NumberOf(each)); });
}

void Lane::TakeRead(WindowBatch batch, Timestamp now, Changes& changes) {
  if (auto* fresh = std::get_if<FreshBatch>(&batch)) LeaveOutExpired(*fresh);
  for (UnreadableMessage& each : cursor_order_->TakeRead(std::move(batch), counters_)) {
    Quarantine(std::move(each), now, changes);
  }
  CountAgain();
  CheckRead();
}

void Lane::TakeTrackRead(Tracks::Id track, SessionReadBatch batch, Timestamp now,
                         Changes& changes) {
  if (auto* messages = std::get_if<SessionBatch>(&batch)) LeaveOutExpired(*messages);
  for (UnreadableMessage& each : tracks_->TakeRead(track, std::move(batch))) {
    Quarantine(std::move(each), now, changes);
  }
  CheckRead();
}

Remains Lane::remains() const {
  return {.messages = counters_.messages(),
          .can_go_unread = counters_.has_no_separate_body() && contradiction_.ok()};
}

void Lane::Purge(std::uint8_t generation, Changes& changes) {
  changes.push_back(LanePurged{shelf()});
  spans_.Clear();
  shared_hints_.Clear();
  LaneCounters& counters = change_counters();
  for (const Standing standing :
       {Standing::kFresh, Standing::kLocked, Standing::kReturned, Standing::kDelayed,
        Standing::kDeferred, Standing::kQuarantined}) {
    counters.of(standing) = 0;
  }
  counters.separate_bodies = 0;
  CountBytes(-counters.bytes);
  counters.cursor = counters.next_number;
  counters.generation = generation;
  for (const HolderId holder : locks_.Clear()) {
    freed_holders_.push_back(holder);
  }
  order_->Purge(shelf(), counters_);
  watches_.NoteAll(id_);
}

void Lane::PurgeScheduled(Changes& changes) {
  LaneCounters& counters = change_counters();
  CountScheduled(-counters.scheduled, -counters.scheduled_bytes);
  counters.scheduled_floor = counters.next_number;
  changes.push_back(ScheduledPurged{id_.entity, counters.scheduled_floor});
  watches_.NoteAll(id_);
}

}  // namespace wharf
