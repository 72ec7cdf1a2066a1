// HistoryMaker: histories that never happened, for tests of the checker.
//
// Every call is an event behind the one before; time stands still but for Advance. The queue
// "orders" (number 0) is there from the start.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/crash/history/history.h"

namespace wharf::crash {

inline constexpr Duration kLockDuration = std::chrono::seconds(5);
inline constexpr std::uint32_t kMaxDeliveryCount = 3;

class HistoryMaker {
 public:
  struct Delivery {
    std::uint32_t count = 0;
    std::int64_t mark = 0;
    Lane lane = Lane::kMain;
    Mode mode = Mode::kPeekLock;
    QueueIndex queue = 0;
    std::uint32_t receiver = 1;
    bool is_by_number = false;
    // Of a session lock.
    std::string session = {};
  };

  HistoryMaker();

  void Advance(Duration span) { now_ += span; }
  Timestamp now() const { return now_; }
  QueueIndex AddQueue(QueueRecord queue);
  QueueIndex AddConsumedQueue();
  // Number 0 drops duplicates.
  void DropDuplicates() { history_.queues[0].drops_duplicates = true; }

  // Single sends; the number is the next of all unless it is given.
  void Send(const MessageId& id, Answer answer = Answer::kOk, QueueIndex queue = 0);
  void SendWithNumber(const MessageId& id, std::int64_t number);
  // To a queue that forwards to number 0; it arrives there under this number.
  void SendVia(QueueIndex source, const MessageId& id, std::int64_t number,
               Answer answer = Answer::kOk);
  // Of the messages of queue number 0.
  void SetTimeToLive(Duration span) { history_.queues[0].time_to_live = span; }
  // Of what was sent last.
  void SetOwnTimeToLive(Duration span) {
    history_.sends.back().messages.back().time_to_live = span;
  }
  // And what has expired there is no dead letter.
  void ExpireToNothing() { history_.queues[0].expires_to_nothing = true; }
  // Sent again: a duplicate of what has this number.
  RepeatRecord& Repeat(const MessageId& id, std::int64_t number, Answer answer = Answer::kOk);
  // To be enqueued after this time.
  void Schedule(const MessageId& id, Duration wait, Answer answer = Answer::kOk);
  // Its time has come: it is enqueued under its next number.
  void Enqueue(const MessageId& id);
  CancelRecord& Cancel(const MessageId& id, Answer answer = Answer::kOk);
  MoveRecord& Move(const MessageId& id, Duration wait, Answer answer = Answer::kOk);
  // The number is that of the next Enqueue.
  ActivateRecord& Activate(const MessageId& id, Answer answer = Answer::kOk);
  // The time that it shows while it is scheduled.
  void SetDue(const MessageId& id, Duration wait) { dues_[id] = now_ + wait; }
  SendRecord& SendAtomic(const std::vector<MessageId>& ids, Answer answer = Answer::kOk);

  DeliveryRecord& Deliver(const MessageId& id, const std::string& token);
  DeliveryRecord& Deliver(const MessageId& id, const std::string& token, const Delivery& how);
  SettleRecord& Settle(const std::string& token, Verb verb, Answer answer = Answer::kOk,
                       std::int64_t mark = 0);
  void Complete(const std::string& token) { Settle(token, Verb::kComplete); }
  RenewRecord& Renew(const std::string& token, Answer answer = Answer::kOk);
  // A receive that a kill left without an answer.
  ReceiveRecord& ReceiveUnheard(Mode mode = Mode::kPeekLock, QueueIndex queue = 0);
  // Of a deferred message, by its number; a delivery is another event.
  ReceiveRecord& ReceiveDeferred(const MessageId& id, Answer answer = Answer::kOk);
  UndeferRecord& Undefer(const MessageId& id, Answer answer = Answer::kOk);
  PurgeRecord& Purge(std::int64_t count, Lane lane = Lane::kMain, Answer answer = Answer::kOk);
  // A job with this number.
  RedriveRecord& Redrive(std::int64_t job, Answer answer = Answer::kOk);
  // It has ended, and moved all of its messages.
  JobLookRecord& LookAtJob(std::int64_t job, std::int64_t done_count);
  // From now on it looks as a job leaves it.
  void SendBack(const MessageId& id);
  // Abandoned, to rest so long.
  void Delay(const std::string& token, Duration delay, Answer answer = Answer::kOk);
  // From now on number 0 has sessions, and what is sent belongs to this one.
  void SetSession(const std::string& session);
  SessionAcceptRecord& Accept(const std::string& session, const std::string& token,
                              Answer answer = Answer::kOk);
  SessionUseRecord& UseSession(const std::string& token, SessionVerb verb,
                               Answer answer = Answer::kOk);
  // The state is read, or set.
  SessionUseRecord& ReadState(const std::string& token, std::int64_t state);
  // And messages are completed, by their tokens.
  void SetState(const std::string& token, std::int64_t state,
                const std::vector<std::string>& completes, Answer answer = Answer::kOk);
  // Heard or not.
  ReceiveRecord& ReceiveFromSession(const std::string& token, Answer answer = Answer::kOk);
  // From now on it looks so.
  void SetState(const MessageId& id, State state) { states_[id] = state; }
  SeenMessage& Peek(const MessageId& id);
  CensusRecord& Census(const std::vector<MessageId>& active,
                       const std::vector<MessageId>& dead_letters = {}, QueueIndex queue = 0);
  QueueChange& Change(QueueVerb verb, Answer answer, QueueIndex queue = 0,
                      std::uint64_t version = 0);
  void List(const std::vector<std::string>& names);

  // The life ends, and another begins.
  LifeRecord& Kill();
  LifeRecord& Stop();

  // Ended by a stop in good order.
  History history();

 private:
  Tick Next() { return ++tick_; }
  void Fill(Operation& operation, Answer answer);
  SeenMessage See(const MessageId& id);
  LifeRecord& EndLife(bool is_killed);

  Tick tick_ = 0;
  Timestamp now_ = Timestamp(std::chrono::hours(1));
  std::int64_t last_number_ = 0;
  std::map<MessageId, std::int64_t> numbers_;
  std::map<MessageId, Timestamp> sent_at_;
  std::map<MessageId, State> states_;
  std::map<MessageId, Timestamp> dues_;
  std::map<MessageId, std::int64_t> redrives_;
  std::map<MessageId, std::int64_t> first_numbers_;
  std::map<std::string, Source> sources_;
  std::string session_;
  std::map<MessageId, std::string> sessions_;
  LifeRecord life_;
  History history_;
};

}  // namespace wharf::crash
