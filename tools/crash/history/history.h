// History: what a run asked of the broker, and what it was answered.
//
// Written by the Recorder while the run goes on, read by the HistoryChecker afterwards. Plain
// values; tests make theirs up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/crash/history/body.h"
#include "tools/crash/history/message_id.h"

namespace wharf::crash {

// Rises with every event, on all threads: what ended at a tick below the one at which another
// thing began came before it.
using Tick = std::uint64_t;
inline constexpr Tick kNoTick = ~Tick{0};

// AMQP tells times in whole milliseconds, rounded down. What may have been told so is compared with
// this of another time.
inline Timestamp Millisecond(Timestamp time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

// Until the broker sees that a client is gone.
inline constexpr Duration kGoneMargin = std::chrono::seconds(3);

// HTTP tells them in whole seconds, rounded down: how much later they may be.
inline constexpr Duration kHttpRounding = std::chrono::seconds(1);

// In History::queues. A queue that is deleted and made anew is another one.
using QueueIndex = std::size_t;

enum class Lane : std::uint8_t { kMain, kDeadLetter };
enum class Mode : std::uint8_t { kPeekLock, kReceiveAndDelete };
// What a look at a message tells of it.
enum class State : std::uint8_t { kActive, kDeferred, kScheduled };
enum class Verb : std::uint8_t { kComplete, kAbandon, kDeadLetter, kRelease, kDefer };
enum class JobState : std::uint8_t { kRunning, kCompleted, kCancelled, kFailed };

// Where to receive from.
struct Source {
  QueueIndex queue = 0;
  Lane lane = Lane::kMain;

  friend auto operator<=>(const Source&, const Source&) = default;
};

enum class Answer : std::uint8_t {
  kOk,
  kRefused,  // Nothing changed.
  kUnknown,  // It may or may not have taken effect.
};

struct Reply {
  Answer answer = Answer::kOk;
  ErrorCode code = ErrorCode::kOk;
  // What was said where the outcome is unknown: it tells who broke the request off.
  std::string words{};
};

Reply ReplyOf(const Status& status);

// What every request has: when it began and ended, by the run's order and by the clock, and how.
struct Operation {
  Tick begin = 0;
  Tick end = 0;
  Timestamp began_at{};
  Timestamp ended_at{};
  Reply reply;
  // Over AMQP and HTTP: its refusals do not say whether something was done.
  bool hides_outcome = false;

  bool is_ok() const { return reply.answer == Answer::kOk; }
  bool is_refused() const { return reply.answer == Answer::kRefused; }
  bool is_unknown() const { return reply.answer == Answer::kUnknown; }
};

// A run of the daemon, from its start to its end.
struct LifeRecord {
  bool is_ready = false;
  // By the clock.
  Timestamp ready_at{};
  // Of the machine, before it began or at its end (runs/pace.h).
  double slowness = 1;
  // For how long at a time the machine let nobody go on (runs/standstill.h).
  Duration standstill{};
  // So long a leader may say nothing until another one is elected; clients that wait for a sign of
  // life do so for longer.
  Duration election_timeout = std::chrono::seconds(1);
  Duration start{};
  // When it was started.
  Tick begin = 0;
  // When the signal that ended it was about to be sent.
  Tick signal = kNoTick;
  bool is_killed = true;
  // Of several nodes: what struck them. Empty: there is one.
  std::string_view fault{};
  // Of a life that was asked to end with SIGTERM.
  bool ended_cleanly = true;
  // Then all that was done was answered: so was it promised, by a broker that is alone.
  bool answers_all = false;
  Duration stop{};
  // For how long nothing at all was acknowledged at its end, where that has to go on.
  std::optional<Duration> silence{};
};

struct QueueRecord {
  std::string name;
  Duration lock_duration{};
  std::uint32_t max_delivery_count = 10;
  std::int64_t message_kilobytes_max = 1024;
  // Its messages are received and deleted: what was on its way when the broker died is gone.
  bool is_consumed = false;
  // A message whose id was seen before is dropped.
  bool drops_duplicates = false;
  // After this time its messages go to the dead-letter queue; zero: never.
  Duration time_to_live{};
  // Or they are gone then.
  bool expires_to_nothing = false;
  bool requires_session = false;
  // Where its messages go at once.
  std::optional<QueueIndex> forwards_to{};
};

enum class QueueVerb : std::uint8_t { kCreate, kUpdate, kDelete, kLook };

// Create, update and delete of a queue, or a look at it.
struct QueueChange : Operation {
  QueueIndex queue = 0;
  QueueVerb verb = QueueVerb::kCreate;
  // Of an update and of a look: the number that was written into the queue's properties.
  std::uint64_t version = 0;
};

struct SentMessage {
  MessageId id;
  BodyDigest body;
  Reply reply;
  // 0: its sender is not told.
  std::int64_t sequence_number = 0;
  // When it shall be enqueued, under another number than this; none: at once.
  std::optional<Timestamp> due{};
  // Empty: none.
  std::string session{};
  // Its own, of no more than its queue's; zero: that one.
  Duration time_to_live{};
};

struct SendRecord : Operation {
  // Where its messages are to be found.
  QueueIndex queue = 0;
  // The queue that they were sent to, which forwards them there; the numbers are those that it
  // gave.
  std::optional<QueueIndex> via{};
  bool is_atomic = false;
  std::vector<SentMessage> messages;

  QueueIndex SentTo() const { return via.value_or(queue); }
};

// The same message sent once more, where duplicates are dropped.
struct RepeatRecord : Operation {
  QueueIndex queue = 0;
  MessageId id;
  // Of the message that is there, or of the one that was stored now.
  std::int64_t sequence_number = 0;
  bool is_duplicate = false;
};

// A receive, or all of a stream's life.
struct ReceiveRecord : Operation {
  Source source;
  Mode mode = Mode::kPeekLock;
  // Messages that may have been on their way when it ended; of a call that was answered, those that
  // it asked for and did not get.
  std::uint64_t open_credit = 0;
  // The deferred messages that were asked for; none: whatever comes.
  std::vector<std::int64_t> numbers;
  // Of the lock of the session to receive from.
  std::string session_token;
  // Its client went without a word.
  bool is_left = false;

  // Whether messages may have come that nobody looked at.
  bool is_unheard() const { return is_unknown() || is_left; }
};

struct SeenMessage {
  MessageId id;
  std::int64_t sequence_number = 0;
  // Of one that was forwarded: the number that it got first; 0 otherwise.
  std::int64_t first_number = 0;
  BodyDigest body;
  std::uint32_t delivery_count = 0;
  // The application property that an abandon or dead-letter set; 0 if none did.
  std::int64_t mark = 0;
  std::int64_t size = 0;
  // By so much all times here may be later than they were told.
  Duration rounding{};
  Timestamp enqueued_at{};
  State state = State::kActive;
  // Of one that rests after an abandon: until when.
  std::optional<Timestamp> available_at{};
  std::optional<Timestamp> expires_at{};
  // Why it was dead-lettered.
  std::string reason;
  // Of a scheduled one: when it shall be enqueued.
  std::optional<Timestamp> due{};
  // How often it was sent back from the dead-letter queue, each time under a new number.
  std::int64_t redrives = 0;
  std::string session;
};

struct DeliveryRecord : SeenMessage {
  // When the receive, or the stream, began that it came by; and when it came.
  Tick since = 0;
  Tick at = 0;
  Source source;
  Mode mode = Mode::kPeekLock;
  // A stream, or the unary receives of one worker in one life.
  std::uint32_t receiver = 0;
  // Out of order, of a deferred message.
  bool is_by_number = false;
  std::string token;
  Timestamp locked_until{};
  // Of the lock of its session.
  std::string session_token;
};

struct SettleRecord : Operation {
  Source source;
  std::string token;
  Verb verb = Verb::kComplete;
  // The application property to set; 0 for none.
  std::int64_t mark = 0;
  // Of an abandon: how long the message shall rest.
  Duration delay{};
};

struct RenewRecord : Operation {
  Source source;
  std::string token;
  Timestamp locked_until{};
  // By so much it may be later than it was told.
  Duration rounding{};
};

// Takes a scheduled message back.
struct CancelRecord : Operation {
  QueueIndex queue = 0;
  MessageId id;
};

// Moves a scheduled message to another time.
struct MoveRecord : Operation {
  QueueIndex queue = 0;
  MessageId id;
  Timestamp due{};
};

// Enqueues a scheduled message before its time.
struct ActivateRecord : Operation {
  QueueIndex queue = 0;
  MessageId id;
  // The one that it is enqueued under.
  std::int64_t sequence_number = 0;
};

// Takes everything that is in a lane.
struct PurgeRecord : Operation {
  Source source;
  bool with_scheduled = false;
  std::int64_t purged_count = 0;
};

// Starts a job that sends dead letters back to their queue.
struct RedriveRecord : Operation {
  QueueIndex queue = 0;
  // Those with one reason only.
  bool is_partial = false;
  std::int64_t job = 0;
};

// A look at a job, or its cancel.
struct JobLookRecord : Operation {
  std::int64_t job = 0;
  JobState state = JobState::kRunning;
  std::int64_t examined_count = 0;
  std::int64_t matched_count = 0;
  std::int64_t done_count = 0;
  std::int64_t left_count = 0;
};

// Makes deferred messages available again.
struct UndeferRecord : Operation {
  QueueIndex queue = 0;
  std::vector<std::int64_t> numbers;
};

// Locks a session of a queue.
struct SessionAcceptRecord : Operation {
  QueueIndex queue = 0;
  // The one that was asked for, or the one that was next; empty if it is not known.
  std::string session;
  // Of a link, which has none: a name for what it got.
  std::string token;
  Timestamp locked_until{};
  // Nobody holds it any more when the broker starts again, or another node leads.
  bool is_of_link = false;
};

// kLeave: its link went without a word, and the broker will see that.
enum class SessionVerb : std::uint8_t { kRenew, kRelease, kLeave, kGetState, kSetState };

// What is done with the token of a session lock, but for receives.
struct SessionUseRecord : Operation {
  QueueIndex queue = 0;
  std::string token;
  SessionVerb verb = SessionVerb::kRenew;
  // Of a renew.
  Timestamp locked_until{};
  // By the clock, of a release by a link: it is answered the same when the lock was over by then.
  Timestamp began_at{};
  // The state that was set or read: a number above all that were set before, in any session. 0:
  // there is none; below: something else.
  std::int64_t state = 0;
  // Of messages that are completed in the same commit; each has a SettleRecord, too.
  std::vector<std::string> completes;
};

struct PeekRecord : Operation {
  Source source;
  std::vector<SeenMessage> messages;
};

// All of a queue, looked at while nobody else did anything.
struct CensusRecord {
  Tick begin = 0;
  Tick end = 0;
  // By the clock.
  Timestamp began_at{};
  Timestamp ended_at{};
  QueueIndex queue = 0;
  std::int64_t active_count = 0;
  std::int64_t locked_count = 0;
  std::int64_t dead_letter_count = 0;
  std::int64_t scheduled_count = 0;
  std::int64_t total_count = 0;
  std::int64_t bytes = 0;
  // Of these, what the states of sessions have.
  std::int64_t state_bytes = 0;
  // Of every state.
  std::vector<SeenMessage> active;
  std::vector<SeenMessage> dead_letters;
};

// The queues that exist, while nobody else did anything.
struct QueueListRecord {
  Tick begin = 0;
  std::vector<std::string> names;
};

struct History {
  std::vector<LifeRecord> lives;
  std::vector<QueueRecord> queues;
  std::vector<QueueChange> queue_changes;
  std::vector<QueueListRecord> queue_lists;
  std::vector<SendRecord> sends;
  std::vector<RepeatRecord> repeats;
  std::vector<ReceiveRecord> receives;
  std::vector<DeliveryRecord> deliveries;
  std::vector<SettleRecord> settles;
  std::vector<RenewRecord> renews;
  std::vector<CancelRecord> cancels;
  std::vector<MoveRecord> moves;
  std::vector<ActivateRecord> activations;
  std::vector<PurgeRecord> purges;
  std::vector<RedriveRecord> redrives;
  std::vector<JobLookRecord> job_looks;
  std::vector<UndeferRecord> undefers;
  std::vector<SessionAcceptRecord> session_accepts;
  std::vector<SessionUseRecord> session_uses;
  std::vector<PeekRecord> peeks;
  std::vector<CensusRecord> censuses;
};

}  // namespace wharf::crash
