#include "tests/engine/model.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr int kPassedOverMax = 16;

void SetProperties(ModelMessage& message, const PropertyMap& properties) {
  for (const auto& [name, value] : properties) {
    message.properties[name] = std::get<std::string>(value);
  }
}

}  // namespace

ModelQueue::ModelQueue(const QueueDescription& description) : description_(description) {
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    next_numbers_[partition] = FirstNumberOf(partition).value();
  }
}

// PAR-1.
PartitionId ModelQueue::PartitionFor(const ModelMessage& message) {
  if (!description_.enable_partitioning) return 0;
  if (message.partition_key) return PartitionOfKey(*message.partition_key);
  is_turn_used_ = true;
  return free_partition_;
}

void ModelQueue::PassTurn() {
  if (is_turn_used_) free_partition_ = (free_partition_ + 1) % kPartitions;
  is_turn_used_ = false;
}

void ModelQueue::Restart() {
  free_partition_ = 0;
  passed_over_ = 0;
  since_lower_ = 0;
}

// Clamped by the queue, and counted from the moment of enqueueing: TTL-1..3.
void ModelQueue::StartLife(ModelMessage& message, Timestamp now) const {
  message.enqueued_at = now;
  const Duration limit = description_.default_message_time_to_live;
  if (limit != kUnlimited) {
    message.time_to_live = std::min(message.time_to_live.value_or(limit), limit);
  }
  message.expires_at = message.time_to_live ? now + *message.time_to_live : kNever;
}

std::uint64_t ModelQueue::Append(ModelMessage message, Timestamp now) {
  message.number = TakeNumber(PartitionFor(message));
  StartLife(message, now);
  const std::uint64_t number = message.number;
  main_.emplace(number, std::move(message));
  return number;
}

// DUP-3.
std::string ModelQueue::IdOf(const Message& message) const {
  const bool has_key = description_.enable_partitioning && message.partition_key;
  return (has_key ? *message.partition_key + '/' : std::string()) + *message.message_id;
}

// DUP-4, DUP-8: a number that was scheduled is known only while it is.
ModelSent ModelQueue::Send(const Message& message, Timestamp now) {
  const bool detects = description_.requires_duplicate_detection && message.message_id;
  if (detects && ids_.contains(IdOf(message))) {
    const RememberedId& known = ids_.at(IdOf(message));
    const bool is_gone = known.was_scheduled && !scheduled_.contains(known.number);
    if (known.forget_after > now) return {is_gone ? 0 : known.number, true};
  }
  ModelMessage sent{.body = message.body, .time_to_live = message.time_to_live};
  if (message.carried) sent.priority = *message.carried->priority;
  sent.partition_key =
      message.partition_key || !detects ? message.partition_key : message.message_id;
  const bool is_scheduled = message.scheduled_enqueue_time.value_or(now) > now;
  std::uint64_t number = 0;
  if (is_scheduled) {
    number = sent.number = TakeNumber(0);
    scheduled_[number] = {std::move(sent), *message.scheduled_enqueue_time};
  } else {
    number = Append(std::move(sent), now);
  }
  if (detects) {
    ids_[IdOf(message)] = {number, now + description_.duplicate_detection_history_time_window,
                           is_scheduled};
  }
  return {number, false};
}

std::size_t ModelQueue::CountAvailable(LaneKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(messages(kind).begin(), messages(kind).end(),
                    [](const auto& entry) { return entry.second.is_available(); }));
}

ModelQueue::Heads ModelQueue::HeadsOfLevels() const {
  Heads heads;
  for (const auto& [number, message] : main_) {
    if (message.is_available()) heads.emplace(message.priority, number);
  }
  return heads;
}

std::optional<std::uint64_t> ModelQueue::OldestBelow(const Heads& heads) {
  std::optional<std::uint64_t> oldest;
  for (auto head = std::next(heads.begin()); head != heads.end(); ++head) {
    oldest = std::min(oldest.value_or(head->second), head->second);
  }
  return oldest;
}

// PRI-1, PRI-2, PAR-4. A level of which the broker does not know yet that it is empty counts as
// passed over, so a lower one may come early, but never before its turn could have come.
ModelQueue::Numbers ModelQueue::AllowedNext(LaneKind kind) const {
  if (description_.enable_priority && kind == LaneKind::kMain) {
    const Heads heads = HeadsOfLevels();
    if (heads.empty()) return {};
    const auto lower = OldestBelow(heads);
    Numbers allowed;
    if (!lower || passed_over_ < kPassedOverMax) allowed.push_back(heads.begin()->second);
    if (lower && since_lower_ >= kPassedOverMax) allowed.push_back(*lower);
    return allowed;
  }
  std::map<std::uint64_t, std::uint64_t> lowest;
  for (const auto& [number, message] : messages(kind)) {
    const std::uint64_t part = description_.enable_partitioning ? number >> 48 : 0;
    if (message.is_available()) lowest.emplace(part, number);
  }
  Numbers allowed;
  for (const auto& [part, number] : lowest) allowed.push_back(number);
  return allowed;
}

void ModelQueue::NoteDelivery(LaneKind kind, std::uint64_t number) {
  if (!description_.enable_priority || kind != LaneKind::kMain) return;
  const Heads heads = HeadsOfLevels();
  const bool is_top = heads.begin()->second == number;
  passed_over_ = is_top && heads.size() > 1 ? passed_over_ + 1 : 0;
  since_lower_ = is_top ? since_lower_ + 1 : 0;
}

ModelMessage* ModelQueue::Find(LaneKind kind, std::uint64_t number) {
  const auto found = lane(kind).find(number);
  return found == lane(kind).end() ? nullptr : &found->second;
}

void ModelQueue::Lock(LaneKind kind, std::uint64_t number, const LockToken& token,
                      Timestamp until) {
  ModelMessage& message = lane(kind).at(number);
  message.token = token;
  message.until = until;
  message.available_at.reset();
}

ModelMessage* ModelQueue::Locked(LaneKind kind, const LockToken& token, Timestamp now) {
  for (auto& [number, message] : lane(kind)) {
    if (message.token == token && now < message.until) return &message;
  }
  return nullptr;
}

bool ModelQueue::Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                        Timestamp now) {
  ModelMessage* message = Locked(kind, token, now);
  if (message == nullptr) return false;
  if (settlement.verb == SettleVerb::kDeadLetter && kind == LaneKind::kDeadLetter) return false;
  if (settlement.delay && message->is_deferred) return false;
  SetProperties(*message, settlement.properties_to_modify);
  std::optional<Timestamp> available_at;
  if (settlement.delay) available_at = now + *settlement.delay;
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      Remove(kind, message->number);
      break;
    case SettleVerb::kAbandon:
      EndLock(kind, *message, End::kFailed, available_at, now);
      break;
    case SettleVerb::kDefer:
      EndLock(kind, *message, End::kDeferred, std::nullopt, now);
      break;
    case SettleVerb::kDeadLetter:
      DeadLetter(message->number, settlement.reason, settlement.description);
      break;
    case SettleVerb::kRelease:
      EndLock(kind, *message, End::kReleased, std::nullopt, now);
      break;
  }
  return true;
}

bool ModelQueue::Renew(LaneKind kind, const LockToken& token, Timestamp now) {
  ModelMessage* message = Locked(kind, token, now);
  if (message == nullptr) return false;
  message->until = now + description_.lock_duration;
  return true;
}

// TTL-8 first, then MAX-2, then STA-4 and CNT-6, then RTY-3; in a dead-letter queue CNT-12.
void ModelQueue::EndLock(LaneKind kind, ModelMessage& message, End end,
                         std::optional<Timestamp> available_at, Timestamp now) {
  message.token.reset();
  const bool counts = end != End::kReleased && kind == LaneKind::kMain;
  if (counts) ++message.delivery_count;
  if (Expire(kind, message.number, now)) return;
  if (counts &&
      message.delivery_count >= static_cast<std::uint32_t>(description_.max_delivery_count)) {
    return DeadLetter(message.number, "MaxDeliveryCountExceeded",
                      fmt::format("Message could not be consumed after {} delivery attempts.",
                                  description_.max_delivery_count));
  }
  if (end == End::kDeferred) message.is_deferred = true;
  if (message.is_deferred) return;
  const bool follows_policy = counts && !available_at && description_.retry_policy;
  if (follows_policy) {
    SeededRandom unused(1);
    available_at = now + description_.retry_policy->WaitAfter(message.delivery_count, unused);
  }
  if (available_at.value_or(now) > now) message.available_at = available_at;
}

bool ModelQueue::Expire(LaneKind kind, std::uint64_t number, Timestamp now) {
  if (kind == LaneKind::kDeadLetter || main_.at(number).expires_at > now) return false;
  if (description_.dead_lettering_on_message_expiration) {
    DeadLetter(number, "TTLExpiredException", "The message expired and was dead lettered.");
  } else {
    main_.erase(number);
  }
  return true;
}

void ModelQueue::PassTime(Timestamp now) {
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const Lane before = lane(kind);
    for (const auto& [number, message] : before) {
      if (!message.token || message.until > now) continue;
      EndLock(kind, lane(kind).at(number), End::kFailed, std::nullopt, now);
    }
  }
  std::map<Timestamp, Numbers> due;
  for (const auto& [number, waiting] : scheduled_) {
    if (waiting.time <= now) due[waiting.time].push_back(number);
  }
  for (const auto& [time, numbers] : due) {
    for (const std::uint64_t number : numbers) ActivateOne(number, now);
  }
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const Lane before = lane(kind);
    for (const auto& [number, message] : before) {
      if (!message.is_waiting() || Expire(kind, number, now)) continue;
      ModelMessage& waiting = lane(kind).at(number);
      if (waiting.available_at && *waiting.available_at <= now) waiting.available_at.reset();
    }
  }
}

void ModelQueue::ActivateOne(std::uint64_t number, Timestamp now) {
  ModelMessage message = scheduled_.at(number).message;
  scheduled_.erase(number);
  Append(std::move(message), now);
  PassTurn();
}

bool ModelQueue::TakeDeferred(LaneKind kind, const Numbers& numbers, Timestamp now) {
  bool all = true;
  for (const std::uint64_t number : numbers) {
    const ModelMessage* message = Find(kind, number);
    if (message == nullptr || !message->is_deferred || message->token ||
        Expire(kind, number, now)) {
      all = false;
    }
  }
  return all;
}

bool ModelQueue::Undefer(LaneKind kind, const Numbers& numbers, Timestamp now) {
  for (const std::uint64_t number : numbers) {
    const ModelMessage* message = Find(kind, number);
    if (message == nullptr || !message->is_deferred || message->token) return false;
  }
  for (const std::uint64_t number : numbers) {
    if (!Expire(kind, number, now)) lane(kind).at(number).is_deferred = false;
  }
  return true;
}

bool ModelQueue::DeadLetterOne(LaneKind kind, std::uint64_t number, const std::string& reason) {
  const ModelMessage* message = Find(kind, number);
  if (message == nullptr || message->token || kind == LaneKind::kDeadLetter) return false;
  DeadLetter(number, reason, std::nullopt);
  return true;
}

std::int64_t ModelQueue::DeleteOldest(LaneKind kind, std::int64_t count, Timestamp before) {
  std::int64_t deleted = 0;
  const Lane all = lane(kind);
  for (const auto& [number, message] : all) {
    if (deleted == count || !message.is_waiting() || message.enqueued_at >= before) continue;
    Remove(kind, number);
    ++deleted;
  }
  return deleted;
}

std::int64_t ModelQueue::Purge(LaneKind kind, bool with_scheduled) {
  std::size_t purged = lane(kind).size();
  lane(kind).clear();
  if (with_scheduled) {
    purged += scheduled_.size();
    scheduled_.clear();
  }
  return static_cast<std::int64_t>(purged);
}

bool ModelQueue::HasAllScheduled(const Numbers& numbers) const {
  return std::all_of(numbers.begin(), numbers.end(),
                     [this](std::uint64_t number) { return scheduled_.contains(number); });
}

bool ModelQueue::CancelScheduled(const Numbers& numbers) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) scheduled_.erase(number);
  return true;
}

bool ModelQueue::Reschedule(const Numbers& numbers, Timestamp time, Timestamp now) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) {
    if (time <= now) {
      ActivateOne(number, now);
    } else {
      scheduled_.at(number).time = time;
    }
  }
  return true;
}

bool ModelQueue::Activate(const Numbers& numbers, Timestamp now) {
  if (!HasAllScheduled(numbers)) return false;
  for (const std::uint64_t number : numbers) ActivateOne(number, now);
  return true;
}

// RDR-1.
std::int64_t ModelQueue::Redrive(Timestamp now) {
  std::int64_t moved = 0;
  const Lane all = dead_letter_;
  for (const auto& [number, dead] : all) {
    if (dead.token) continue;
    ModelMessage message{
        .body = dead.body, .properties = dead.properties, .time_to_live = dead.time_to_live};
    message.priority = dead.priority;
    message.partition_key = dead.partition_key;
    message.properties.erase("DeadLetterReason");
    message.properties.erase("DeadLetterErrorDescription");
    std::string& count = message.properties["RedriveCount"];
    count = fmt::format("{}", count.empty() ? 1 : std::stoi(count) + 1);
    dead_letter_.erase(number);
    Append(std::move(message), now);
    PassTurn();
    ++moved;
  }
  return moved;
}

void ModelQueue::DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                            const std::optional<std::string>& description) {
  ModelMessage message = main_.at(number);
  message.token.reset();
  message.available_at.reset();
  message.is_deferred = false;
  message.expires_at = kNever;
  if (reason) message.properties["DeadLetterReason"] = *reason;
  if (description) message.properties["DeadLetterErrorDescription"] = *description;
  main_.erase(number);
  dead_letter_.emplace(number, message);
}

}  // namespace wharf
