// SessionBook: what a queue knows of its sessions without reading: by which tokens they are held,
// what is in flight, and which sessions may be next.
//
// In memory are the sessions that receivers hold, those that are being looked at as they may be
// the next, and those whose messages have expired and are being removed. Of all others there is
// nothing but an offer in the store, however many they are. Decides nothing about rules: the Queue
// does.
//
// It has many functions because the messages of a session, its holder, its expiry and what is read
// of it decide together whether it may be next.
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"
#include "broker/core/messages/message_event.h"
#include "broker/core/order/session_offers.h"
#include "broker/core/order/session_window.h"
#include "broker/core/queue/lock_table.h"

namespace wharf {

// Names a session of a lane while it is in memory; never used twice.
using SessionSerial = StrongId<struct SessionSerialTag, std::uint64_t>;

// A session that a receiver holds, or that is being looked at.
class Session {
 public:
  Session(std::string id, SessionSerial serial, SequenceNumber floor)
      : id_(std::move(id)), serial_(serial), window_(floor) {}

  const std::string& id() const { return id_; }
  SessionSerial serial() const { return serial_; }
  bool is_held() const { return !token_.is_zero(); }
  const LockToken& token() const { return token_; }
  Timestamp until() const { return until_; }
  Timestamp since() const { return since_; }
  // In whose name it is held: who accepted it, or came with its token last. Null: not known, as for
  // one that was accepted before the start until its holder comes.
  const ActorPtr& holder() const { return holder_; }
  void NoteHolder(ActorPtr holder) { holder_ = std::move(holder); }
  // Its lock is over, but not all of its messages have come back yet.
  bool is_ending() const { return is_ending_; }
  const SessionWindow& window() const { return window_; }
  // Delivered and not settled, by their numbers.
  const absl::btree_map<SequenceNumber, LockToken>& in_flight() const { return in_flight_; }
  // Bytes of its state, once they are known.
  const std::optional<std::int64_t>& state_bytes() const { return state_bytes_; }
  void NoteStateBytes(std::int64_t bytes) { state_bytes_ = bytes; }

 private:
  friend class SessionBook;

  const std::string id_;
  const SessionSerial serial_;
  LockToken token_;
  Timestamp until_;
  Timestamp since_;
  ActorPtr holder_;
  bool is_ending_ = false;
  SessionWindow window_;
  absl::btree_map<SequenceNumber, LockToken> in_flight_;
  std::optional<std::int64_t> state_bytes_;
};

// A session as the store has it.
struct LoadedSession {
  std::string id;
  SessionRow row;
};

// How much is remembered of the sessions of a lane.
struct SessionLimits {
  // Of one session...
  SessionWindowLimits window{};
  // ...and of all together; each has its share.
  std::size_t windows_messages_max = 256 * 1024;
  std::size_t windows_bytes_max = 32 * 1024 * 1024;
  std::size_t offers_max = 4096;
  // Beyond it all traces are forgotten: they only save work.
  std::size_t traces_max = 16384;
};

class SessionBook {
 public:
  // Sessions get serials behind `last`.
  SessionBook(const Shelf& shelf, std::vector<LoadedSession> loaded, const SessionLimits& limits,
              SessionSerial last = {});

  // --- messages; each is in a session

  // Waits, or is delayed, from now on.
  void Add(WaitingMessage message, Changes& changes);
  // Does not any more; `from` is where it stood.
  void Remove(const std::string& session, SequenceNumber number, Standing from, Changes& changes);
  // Takes the lowest one out.
  WaitingMessage PopFirst(Session& session);
  void NoteLocked(const std::string& session, SequenceNumber number, const LockToken& token);
  void NoteUnlocked(const std::string& session, SequenceNumber number);
  // The lane was purged: its rows are on another shelf now.
  void Purge(const Shelf& shelf);

  // --- sessions

  // Null if the session is not in memory.
  Session* Find(const std::string& session);
  const Session* Find(const std::string& session) const;
  Session* Find(SessionSerial serial);
  // The session that is held by this token, also if its time is over.
  Session* FindHeld(const LockToken& token);
  std::size_t held() const { return by_token_.size(); }
  // In the order of their ids, behind `after`, as long as `take` wants more.
  template <typename Take>
  void ForEachHeld(const std::optional<std::string>& after, Take take) const {
    auto held = after ? held_.upper_bound(*after) : held_.begin();
    while (held != held_.end() && take(*held->second)) ++held;
  }

  // No receiver may hold it before.
  Session& Hold(const std::string& session, const LockToken& token, Timestamp until, Timestamp now,
                Changes& changes);
  void Renew(Session& session, Timestamp until, Changes& changes);
  // From now on nothing is delivered from it, and its deadline is not reported.
  void BeginEnd(Session& session);
  // Nothing of it may be in flight. The session is gone from memory then.
  void Unhold(Session& session, SessionEndCause cause, Changes& changes);
  // Held sessions whose time is over by `now`, up to `count_max`.
  std::vector<SessionSerial> EndedBy(Timestamp now, std::size_t count_max) const;
  // kNever if no deadline is waiting.
  Timestamp next_deadline() const;

  // Sessions whose state for receivers may have changed since the last call.
  std::vector<SessionSerial> TakeStirred();
  void Stir(const Session& session) { stirred_.insert(session.serial()); }

  // --- expiry of whole sessions

  // Everything that waits in the session up to `through` has expired.
  void Expire(const std::string& session, SequenceNumber through, Changes& changes);
  bool IsExpired(const std::string& session, SequenceNumber number) const;
  // Sessions whose expired messages are to be removed, each once, and when that is done.
  std::vector<std::string> TakeExpired() { return std::exchange(to_clean_, {}); }
  bool has_expired() const { return !to_clean_.empty(); }
  SequenceNumber ExpiredThrough(const std::string& session) const;
  // Nothing if more has expired since `through`.
  void FinishExpiry(const std::string& session, SequenceNumber through, Changes& changes);

  // --- the next session

  // The session with the lowest message to deliver that no receiver holds; null if there is none,
  // or if something must be read to tell.
  Session* Next(Changes& changes);
  // Whether there may be one.
  bool may_have_next() const { return !offers_.is_exhausted(); }

  // --- reading

  // For one session; then it is under way.
  std::optional<SessionRead> NextRead(Session& session);
  // What could not be read.
  std::vector<UnreadableMessage> TakeRead(Session& session, SessionReadBatch batch);
  // Looks at sessions that may be the next, the first `count` of them.
  std::vector<std::pair<SessionSerial, SessionRead>> NextLooks(std::size_t count);
  std::optional<ReadOffers> NextOffersRead() { return offers_.NextRead(); }
  void TakeOffers(const OfferBatch& batch);

 private:
  // What is remembered of a session that is not in memory, while there is room.
  struct Trace {
    // Nothing of the session waits below it.
    SequenceNumber floor;
    // Its offer with the lowest number that is known.
    std::optional<SequenceNumber> offered;
  };
  struct Expiry {
    SequenceNumber through;
    bool is_cleaned = false;
  };

  Session& Enter(const std::string& session);
  void NoteHeld(Session& session);
  void Forget(Session& session);
  Trace& TraceOf(const std::string& session);
  void Offer(const std::string& session, SequenceNumber number, Changes& changes);
  void Withdraw(const OfferPlace& place, Changes& changes);
  SessionRow RowOf(const std::string& session) const;
  SessionWindowLimits window_limits() const;
  // Keeps count of what its window holds.
  template <typename Change>
  void ChangeWindow(Session& session, Change change);
  void RememberFloor(const Session& session);

  const SessionLimits& limits_;
  Shelf shelf_;
  SessionSerial last_serial_;
  absl::flat_hash_map<std::string, std::unique_ptr<Session>> sessions_;
  absl::flat_hash_map<SessionSerial, Session*> by_serial_;
  // Sessions that receivers hold.
  absl::flat_hash_map<LockToken, Session*> by_token_;
  absl::btree_map<std::string_view, Session*> held_;
  absl::btree_set<std::pair<Timestamp, SessionSerial>> deadlines_;
  absl::btree_set<SessionSerial> stirred_;
  // Bytes of all windows.
  std::size_t windows_bytes_ = 0;
  absl::flat_hash_map<std::string, Expiry> expired_;
  std::vector<std::string> to_clean_;
  absl::flat_hash_map<std::string, Trace> traces_;
  SessionOffers offers_;
};

}  // namespace wharf
