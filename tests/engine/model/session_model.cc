#include "tests/engine/model/session_model.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace wharf {

SessionModel::SessionModel(const QueueDescription& description) : description_(description) {
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    next_numbers_[partition] = FirstNumberOf(partition).value();
  }
}

// PAR-1.
PartitionId SessionModel::PartitionFor(const std::string& session) const {
  return description_.enable_partitioning ? PartitionOfKey(session) : PartitionId{0};
}

std::uint64_t SessionModel::next_number(const std::string& session) const {
  return next_numbers_[PartitionFor(session)];
}

// Clamped by the queue, and counted from the moment of enqueueing: TTL-1..3.
std::uint64_t SessionModel::Append(SessionMessage message, Timestamp now) {
  message.number = next_numbers_[PartitionFor(message.session)]++;
  message.enqueued_at = now;
  const Duration limit = description_.default_message_time_to_live;
  if (limit != kUnlimited) {
    message.time_to_live = std::min(message.time_to_live.value_or(limit), limit);
  }
  message.expires_at = message.time_to_live ? now + *message.time_to_live : kNever;
  const std::uint64_t number = message.number;
  main_.emplace(number, std::move(message));
  return number;
}

std::uint64_t SessionModel::Send(const Message& message, Timestamp now) {
  SessionMessage sent{
      .body = message.body, .session = *message.session_id, .time_to_live = message.time_to_live};
  if (message.scheduled_enqueue_time.value_or(now) <= now) return Append(std::move(sent), now);
  sent.number = next_numbers_[0]++;
  const std::uint64_t number = sent.number;
  scheduled_[number] = {std::move(sent), *message.scheduled_enqueue_time};
  return number;
}

void SessionModel::Activate(std::uint64_t number, Timestamp now) {
  SessionMessage message = scheduled_.at(number).message;
  scheduled_.erase(number);
  Append(std::move(message), now);
}

// The partitions take turns.
std::optional<std::string> SessionModel::Next() const {
  std::optional<std::string> next;
  std::uint64_t lowest = 0;
  for (const auto& [number, message] : main_) {
    const Numbers first = Available(message.session, 1);
    if (IsHeld(message.session) || first != Numbers{number}) continue;
    const std::uint64_t place = CountFirst(SequenceNumber(number));
    if (next && place > lowest) continue;
    next = message.session;
    lowest = place;
  }
  return next;
}

void SessionModel::Accept(const std::string& session, const LockToken& token, Timestamp until,
                          Timestamp now, bool is_by_link) {
  held_[session] = {.token = token, .until = until, .since = now, .is_by_link = is_by_link};
}

bool SessionModel::IsHeldByLinks() const {
  return std::any_of(held_.begin(), held_.end(),
                     [](const auto& held) { return held.second.is_by_link; });
}

void SessionModel::EndThoseOfLinks(Timestamp now) {
  std::vector<std::string> of_links;
  for (const auto& [session, hold] : held_) {
    if (hold.is_by_link) of_links.push_back(session);
  }
  for (const std::string& session : of_links) End(session, /*is_failure=*/false, now);
}

const std::string* SessionModel::Holds(const LockToken& token) const {
  for (const auto& [session, hold] : held_) {
    if (hold.token == token) return &session;
  }
  return nullptr;
}

// Messages that must be read to be dead-lettered come after the others.
void SessionModel::End(const std::string& session, bool is_failure, Timestamp now) {
  std::set<std::uint64_t> in_flight;
  for (const auto& [number, message] : main_) {
    if (message.session == session && message.token) in_flight.insert(number);
  }
  std::set<std::uint64_t> read;
  while (!in_flight.empty()) {
    const std::set<std::uint64_t> left = std::exchange(in_flight, {});
    for (const std::uint64_t number : left) {
      const bool must_be_read = EndsInDeadLetters(main_.at(number), is_failure, now);
      if (must_be_read && read.insert(number).second) {
        in_flight.insert(number);
      } else {
        EndLock(number, is_failure ? EndOf::kFailed : EndOf::kReleased, std::nullopt, now);
      }
    }
  }
  held_.erase(session);
}

std::optional<Timestamp> SessionModel::NextEnd(Timestamp now) const {
  std::optional<Timestamp> next;
  for (const auto& [number, message] : main_) {
    if (!message.token) continue;
    const Timestamp until = held_.at(message.session).until;
    if (until <= now && until < next.value_or(kNever)) next = until;
  }
  return next;
}

SessionModel::Numbers SessionModel::Available(const std::string& session, std::size_t count) const {
  Numbers numbers;
  for (const auto& [number, message] : main_) {
    if (message.session != session || !message.is_waiting()) continue;
    if (message.available_at || numbers.size() == count) break;
    numbers.push_back(number);
  }
  return numbers;
}

SessionMessage* SessionModel::Find(std::uint64_t number) {
  const auto found = main_.find(number);
  return found == main_.end() ? nullptr : &found->second;
}

void SessionModel::Lock(std::uint64_t number, const LockToken& token) {
  SessionMessage& message = main_.at(number);
  message.token = token;
  message.available_at.reset();
}

SessionMessage* SessionModel::InFlight(const LockToken& token) {
  for (auto& [number, message] : main_) {
    if (message.token == token) return &message;
  }
  return nullptr;
}

bool SessionModel::Settle(const LockToken& token, const Settlement& settlement, Timestamp now) {
  SessionMessage* message = InFlight(token);
  if (message == nullptr || (settlement.delay && message->is_deferred)) return false;
  const std::uint64_t number = message->number;
  std::optional<Timestamp> available_at;
  if (settlement.delay) available_at = now + *settlement.delay;
  switch (settlement.verb) {
    case SettleVerb::kComplete:
      main_.erase(number);
      break;
    case SettleVerb::kAbandon:
      EndLock(number, EndOf::kFailed, available_at, now);
      break;
    case SettleVerb::kDefer:
      EndLock(number, EndOf::kDeferred, std::nullopt, now);
      break;
    case SettleVerb::kDeadLetter:
      DeadLetter(number, settlement.reason.value_or(""));
      break;
    case SettleVerb::kRelease:
      EndLock(number, EndOf::kReleased, std::nullopt, now);
      break;
  }
  return true;
}

// Its own time is over, or its session's was while it was in flight; what was deferred has nothing
// to do with that (TTS-3).
bool SessionModel::HasExpired(const SessionMessage& message, Timestamp now) const {
  if (message.expires_at <= now) return true;
  const auto hold = held_.find(message.session);
  return !message.is_deferred && hold != held_.end() &&
         message.number <= hold->second.expired_through;
}

bool SessionModel::EndsInDeadLetters(const SessionMessage& message, bool is_failure,
                                     Timestamp now) const {
  if (HasExpired(message, now)) return description_.dead_lettering_on_message_expiration;
  return is_failure &&
         message.delivery_count + 1 >= static_cast<std::uint32_t>(description_.max_delivery_count);
}

// TTL-8 first, then MAX-2, then STA-4 and CNT-6, then RTY-3.
void SessionModel::EndLock(std::uint64_t number, EndOf end, std::optional<Timestamp> available_at,
                           Timestamp now) {
  SessionMessage& message = main_.at(number);
  const bool is_failure = end != EndOf::kReleased;
  if (HasExpired(message, now)) {
    if (is_failure) ++message.delivery_count;
    if (message.is_deferred) return Expire(number);
    return ExpireActive(number, now);
  }
  const bool is_last = EndsInDeadLetters(message, is_failure, now);
  if (is_failure) ++message.delivery_count;
  if (is_last) return DeadLetter(number, "MaxDeliveryCountExceeded");
  message.token.reset();
  if (end == EndOf::kDeferred) message.is_deferred = true;
  if (message.is_deferred) return;
  if (is_failure && !available_at && description_.retry_policy) {
    SeededRandom unused(1);
    available_at = now + description_.retry_policy->WaitAfter(message.delivery_count, unused);
  }
  if (available_at.value_or(now) > now) message.available_at = available_at;
}

void SessionModel::Expire(std::uint64_t number) {
  if (description_.dead_lettering_on_message_expiration) {
    DeadLetter(number, "TTLExpiredException");
  } else {
    main_.erase(number);
  }
}

void SessionModel::ExpireActive(std::uint64_t number, Timestamp now) {
  const std::string session = main_.at(number).session;
  const auto hold = held_.find(session);
  const bool had_expired = hold != held_.end() && number <= hold->second.expired_through;
  const bool is_shared = !had_expired && main_.at(number).expires_at <= now &&
                         description_.session_expiry_scope == SessionExpiryScope::kSession;
  Expire(number);
  if (!is_shared) return;
  const Messages all = main_;
  for (const auto& [each, message] : all) {
    if (message.session == session && message.is_waiting()) Expire(each);
  }
  if (hold != held_.end()) hold->second.expired_through = next_number(session) - 1;
}

// It leaves its session (DLQ-6).
void SessionModel::DeadLetter(std::uint64_t number, const std::string& reason) {
  SessionMessage message = main_.at(number);
  message.token.reset();
  message.available_at.reset();
  message.is_deferred = false;
  message.expires_at = kNever;
  if (!reason.empty()) message.dead_letter_reason = reason;
  main_.erase(number);
  dead_letters_.emplace(number, std::move(message));
}

void SessionModel::SetState(const std::string& session, std::optional<std::string> state,
                            Timestamp now) {
  if (state) {
    states_[session] = {*std::move(state), now};
  } else {
    states_.erase(session);
  }
}

// TTL-14: what has expired goes even if the call fails.
bool SessionModel::TakeDeferred(const std::string& session, const Numbers& numbers, Timestamp now) {
  bool all = true;
  for (const std::uint64_t number : numbers) {
    const SessionMessage* message = Find(number);
    const bool is_meant = message != nullptr && message->is_deferred && !message->token &&
                          message->session == session;
    const bool has_expired = is_meant && message->expires_at <= now;
    if (has_expired) Expire(number);
    if (!is_meant || has_expired) all = false;
  }
  return all;
}

bool SessionModel::Undefer(const Numbers& numbers, Timestamp now) {
  for (const std::uint64_t number : numbers) {
    const SessionMessage* message = Find(number);
    if (message == nullptr || !message->is_deferred || message->token) return false;
    const auto hold = held_.find(message->session);
    if (hold != held_.end() && number <= hold->second.expired_through) return false;
  }
  for (const std::uint64_t number : numbers) {
    if (main_.at(number).expires_at <= now) {
      Expire(number);
    } else {
      main_.at(number).is_deferred = false;
    }
  }
  return true;
}

bool SessionModel::SettleOne(std::uint64_t number,
                             const std::optional<std::string>& dead_letter_reason, Timestamp now) {
  const SessionMessage* message = Find(number);
  if (message == nullptr || message->token) return false;
  if (message->expires_at <= now) {
    Expire(number);
    return false;
  }
  if (dead_letter_reason) {
    DeadLetter(number, *dead_letter_reason);
  } else {
    main_.erase(number);
  }
  return true;
}

std::int64_t SessionModel::DeleteOldest(std::int64_t count, Timestamp before) {
  std::int64_t deleted = 0;
  const Messages all = main_;
  for (const auto& [number, message] : all) {
    if (deleted == count || !message.is_waiting() || message.enqueued_at >= before) continue;
    main_.erase(number);
    ++deleted;
  }
  return deleted;
}

// Sessions stay held, and keep their states.
std::int64_t SessionModel::Purge(LaneKind kind, bool with_scheduled) {
  Messages& messages = kind == LaneKind::kMain ? main_ : dead_letters_;
  std::size_t purged = messages.size();
  messages.clear();
  if (with_scheduled) {
    purged += scheduled_.size();
    scheduled_.clear();
  }
  return static_cast<std::int64_t>(purged);
}

// RDR-1: back to the end of its session.
std::int64_t SessionModel::Redrive(Timestamp now) {
  const Messages all = std::exchange(dead_letters_, {});
  for (const auto& [number, dead] : all) {
    Append({.body = dead.body, .session = dead.session, .time_to_live = dead.time_to_live}, now);
  }
  return static_cast<std::int64_t>(all.size());
}

void SessionModel::PassTime(Timestamp now) {
  const std::map<std::string, ModelHold> held = held_;
  for (const auto& [session, hold] : held) {
    if (hold.until <= now) End(session, true, now);
  }
  // As the broker does what is due: by time, then expiry before activation before ends of delays.
  std::set<std::tuple<Timestamp, DueKind, std::uint64_t>> due;
  for (const auto& [number, message] : main_) {
    if (message.expires_at <= now) due.emplace(message.expires_at, DueKind::kExpire, number);
    if (message.available_at && *message.available_at <= now) {
      due.emplace(*message.available_at, DueKind::kEndDelay, number);
    }
  }
  for (const auto& [number, scheduled] : scheduled_) {
    if (scheduled.time <= now) due.emplace(scheduled.time, DueKind::kActivate, number);
  }
  for (const auto& [time, kind, number] : due) {
    if (kind == DueKind::kActivate) {
      Activate(number, now);
      continue;
    }
    SessionMessage* message = Find(number);
    if (message == nullptr || !message->is_waiting()) continue;
    if (message->expires_at <= now) {
      ExpireActive(number, now);
    } else if (kind == DueKind::kEndDelay) {
      message->available_at.reset();
    }
  }
}

}  // namespace wharf
