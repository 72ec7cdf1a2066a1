#include "tests/engine/model/model.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf {
namespace {

void SetProperties(ModelMessage& message, const PropertyMap& properties) {
  for (const auto& [name, value] : properties) {
    message.properties[name] = std::get<std::string>(value);
  }
}

}  // namespace

ModelMessage* ModelQueue::Find(LaneKind kind, std::uint64_t number) {
  const auto found = lane(kind).find(number);
  return found == lane(kind).end() ? nullptr : &found->second;
}

void ModelQueue::Lock(LaneKind kind, std::uint64_t number, const LockToken& token,
                      Timestamp until) {
  ModelMessage& message = lane(kind).at(number);
  NoteChange(message);
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
  NoteChange(*message);
  return true;
}

// TTL-8 first, then MAX-2, then STA-4 and CNT-6, then RTY-3; in a dead-letter queue CNT-12.
void ModelQueue::EndLock(LaneKind kind, ModelMessage& message, End end,
                         std::optional<Timestamp> available_at, Timestamp now) {
  NoteChange(message);
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

void ModelQueue::Update(const QueueDescription& description, Timestamp now) {
  const bool stays_here = description_.forward_to && !description.forward_to;
  description_ = description;
  for (auto& [number, message] : main_) {
    const bool was_over = message.available_at && message.expires_at <= now;
    if (stays_here && was_over) message.look = ModelMessage::Look::kOpen;
  }
}

bool ModelQueue::MayRest(const ModelDue& due) const {
  if (due.what != ModelDue::What::kExpire) return false;
  const ModelMessage& message = messages(due.lane).at(due.number);
  return message.available_at && message.look == ModelMessage::Look::kOpen;
}

void ModelQueue::LetRest(const ModelDue& due) {
  lane(due.lane).at(due.number).look = ModelMessage::Look::kWhenRested;
}

// On its way to another entity nothing does (TTL-16).
bool ModelQueue::HasLivedOut(LaneKind kind, const ModelMessage& message, Timestamp now) const {
  return kind == LaneKind::kMain && message.expires_at <= now && !description_.forward_to;
}

bool ModelQueue::Expire(LaneKind kind, std::uint64_t number, Timestamp now) {
  if (!HasLivedOut(kind, messages(kind).at(number), now)) return false;
  if (description_.dead_lettering_on_message_expiration) {
    DeadLetter(number, "TTLExpiredException", "The message expired and was dead lettered.");
  } else {
    main_.erase(number);
  }
  return true;
}

std::vector<ModelDue> ModelQueue::Due(Timestamp now) const {
  std::vector<ModelDue> locks;
  std::vector<ModelDue> due;
  for (const auto& [number, waiting] : scheduled_) {
    due.push_back({ModelDue::What::kActivate, LaneKind::kMain, number, waiting.time});
  }
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    for (const auto& [number, message] : messages(kind)) {
      if (message.token) {
        locks.push_back({ModelDue::What::kEndLock, kind, number, message.until});
      } else if (message.is_waiting() && message.look != ModelMessage::Look::kWhenRested &&
                 HasLivedOut(kind, message, message.available_at.value_or(now))) {
        due.push_back({ModelDue::What::kExpire, kind, number, message.expires_at});
      } else if (message.is_waiting() && message.available_at) {
        due.push_back({ModelDue::What::kEndDelay, kind, number, *message.available_at});
      }
    }
  }
  const auto by_time = [](const ModelDue& a, const ModelDue& b) { return a.time < b.time; };
  std::stable_sort(due.begin(), due.end(), by_time);
  locks.insert(locks.end(), due.begin(), due.end());
  std::erase_if(locks, [now](const ModelDue& each) { return each.time > now; });
  return locks;
}

void ModelQueue::Do(const ModelDue& due, Timestamp now) {
  if (due.what == ModelDue::What::kActivate) return ActivateOne(due.number, now);
  ModelMessage& message = lane(due.lane).at(due.number);
  if (due.what == ModelDue::What::kEndLock) {
    return EndLock(due.lane, message, End::kFailed, std::nullopt, now);
  }
  NoteChange(message);
  message.look = ModelMessage::Look::kOnTime;
  if (!Expire(due.lane, due.number, now)) message.available_at.reset();
}

// The end of a lock may bring about more.
void ModelQueue::PassTime(Timestamp now) {
  for (auto due = Due(now); !due.empty(); due = Due(now)) {
    for (const ModelDue& each : due) Do(each, now);
  }
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
    NoteChange(lane(kind).at(number));
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

// RDR-1.
std::int64_t ModelQueue::Redrive(Timestamp now) {
  std::int64_t moved = 0;
  const Lane all = dead_letter_;
  for (const auto& [number, dead] : all) {
    if (dead.token) continue;
    ModelMessage message = Redriven(dead);
    dead_letter_.erase(number);
    Append(std::move(message), now);
    PassTurn();
    ++moved;
  }
  return moved;
}

ModelMessage ModelQueue::Redriven(const ModelMessage& dead) {
  ModelMessage message = dead;
  message.delivery_count = 0;
  message.is_deferred = false;
  message.available_at.reset();
  message.hops = 0;
  message.properties.erase("DeadLetterReason");
  message.properties.erase("DeadLetterErrorDescription");
  std::string& count = message.properties["RedriveCount"];
  count = fmt::format("{}", count.empty() ? 1 : std::stoi(count) + 1);
  return message;
}

void ModelQueue::DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                            const std::optional<std::string>& description) {
  ModelMessage message = main_.at(number);
  NoteChange(message);
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
