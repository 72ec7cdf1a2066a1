// SessionModel: the semantics of a queue with sessions, small and obvious, to compare the broker
// with.
//
// Keeps every message in one list, looks at all of it for every question. A session is nothing but
// the messages that name it, who holds it, and its state.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/order/partition.h"
#include "broker/core/queue/queue.h"

namespace wharf {

struct SessionMessage {
  std::uint64_t number = 0;
  std::string body;
  std::string session;
  std::uint32_t delivery_count = 0;
  std::optional<Duration> time_to_live{};
  Timestamp enqueued_at{};
  Timestamp expires_at = kNever;
  // In flight while it is set.
  std::optional<LockToken> token{};
  // Stays true while a deferred message is in flight (STA-4).
  bool is_deferred = false;
  // Rests until then.
  std::optional<Timestamp> available_at{};
  std::string dead_letter_reason{};

  bool is_waiting() const { return !token && !is_deferred; }
};

struct ModelHold {
  LockToken token;
  Timestamp until;
  Timestamp since;
  // Messages up to here have expired with the session, also those in flight (TTS-3).
  std::uint64_t expired_through = 0;
  // By a link: nobody has it when the broker starts again.
  bool is_by_link = false;
};

struct ModelState {
  std::string bytes;
  Timestamp updated_at;
};

class SessionModel {
 public:
  using Messages = std::map<std::uint64_t, SessionMessage>;
  using Numbers = std::vector<std::uint64_t>;
  struct Scheduled {
    SessionMessage message;
    Timestamp time;
  };

  explicit SessionModel(const QueueDescription& description);

  void Update(const QueueDescription& description) { description_ = description; }
  const QueueDescription& description() const { return description_; }
  const Messages& main() const { return main_; }
  const Messages& dead_letters() const { return dead_letters_; }
  const std::map<std::uint64_t, Scheduled>& scheduled() const { return scheduled_; }
  const std::map<std::string, ModelHold>& held() const { return held_; }
  const std::map<std::string, ModelState>& states() const { return states_; }
  // The next one of the session, or of scheduled messages.
  std::uint64_t next_number(const std::string& session) const;
  std::uint64_t next_scheduled_number() const { return next_numbers_[0]; }

  std::uint64_t Send(const Message& message, Timestamp now);

  // The session that accept-next gives (SES-6); nothing: none has anything to deliver.
  std::optional<std::string> Next() const;
  bool IsHeld(const std::string& session) const { return held_.contains(session); }
  void Accept(const std::string& session, const LockToken& token, Timestamp until, Timestamp now,
              bool is_by_link);
  // The session that the token holds; null if it holds none.
  const std::string* Holds(const LockToken& token) const;
  void Renew(const std::string& session, Timestamp until) { held_.at(session).until = until; }
  // CNT-9, or if its time is over CNT-8.
  void End(const std::string& session, bool is_failure, Timestamp now);
  bool IsHeldByLinks() const;
  // The broker starts again (SES-24).
  void EndThoseOfLinks(Timestamp now);
  // When the first session ends that has messages in flight, if that is by `now`.
  std::optional<Timestamp> NextEnd(Timestamp now) const;

  // What a receiver of `count` messages gets from the session, lowest first (SES-10, RTY-5).
  Numbers Available(const std::string& session, std::size_t count) const;
  SessionMessage* Find(std::uint64_t number);
  void Lock(std::uint64_t number, const LockToken& token);
  void Remove(std::uint64_t number) { main_.erase(number); }
  void RemoveDeadLetter(std::uint64_t number) { dead_letters_.erase(number); }

  // The message in flight by this token; null if there is none.
  SessionMessage* InFlight(const LockToken& token);
  // Whether it worked.
  bool Settle(const LockToken& token, const Settlement& settlement, Timestamp now);
  void SetState(const std::string& session, std::optional<std::string> state, Timestamp now);

  // Whether all of them are deferred in the session; expired ones go.
  bool TakeDeferred(const std::string& session, const Numbers& numbers, Timestamp now);
  bool Undefer(const Numbers& numbers, Timestamp now);
  // Whether it was there, and held by nobody.
  bool SettleOne(std::uint64_t number, const std::optional<std::string>& dead_letter_reason,
                 Timestamp now);
  std::int64_t DeleteOldest(std::int64_t count, Timestamp before);
  std::int64_t Purge(LaneKind kind, bool with_scheduled);
  std::int64_t Redrive(Timestamp now);

  // Sessions end whose time is over, and then what is due is done in the order of times.
  void PassTime(Timestamp now);

 private:
  enum class EndOf { kFailed, kReleased, kDeferred };

  PartitionId PartitionFor(const std::string& session) const;
  std::uint64_t Append(SessionMessage message, Timestamp now);
  void Activate(std::uint64_t number, Timestamp now);
  bool HasExpired(const SessionMessage& message, Timestamp now) const;
  // Whether the end of its lock moves it to the dead-letter queue.
  bool EndsInDeadLetters(const SessionMessage& message, bool is_failure, Timestamp now) const;
  void EndLock(std::uint64_t number, EndOf end, std::optional<Timestamp> available_at,
               Timestamp now);
  // Drops or dead-letters one.
  void Expire(std::uint64_t number);
  // One that is not deferred, and with it all that waits in its session (TTS-1).
  void ExpireActive(std::uint64_t number, Timestamp now);
  void DeadLetter(std::uint64_t number, const std::string& reason);

  QueueDescription description_;
  // One for each partition.
  std::array<std::uint64_t, kPartitions> next_numbers_{};
  Messages main_;
  Messages dead_letters_;
  std::map<std::uint64_t, Scheduled> scheduled_;
  std::map<std::string, ModelHold> held_;
  std::map<std::string, ModelState> states_;
};

}  // namespace wharf
