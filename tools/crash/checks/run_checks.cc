#include "tools/crash/checks/run_checks.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/core.h>

#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// On a machine of the usual pace (runs/pace.h).
constexpr Duration kStartMax = std::chrono::seconds(10);
constexpr Duration kStopMax = std::chrono::seconds(5);
constexpr Duration kSilenceMax = std::chrono::seconds(3);

// A stop hands leadership over and answers what it has taken, each for a second or two: on a
// machine this much slower than usual that is not enough.
constexpr double kTooSlowToStop = 5;

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// Refusals that the load provokes, or that tell of an end.
bool IsExpected(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMessageLockLost:
    case ErrorCode::kSessionLockLost:
    case ErrorCode::kSessionCannotBeLocked:
    case ErrorCode::kMessageSizeExceeded:
    case ErrorCode::kMessagingEntityNotFound:
    case ErrorCode::kServiceBusy:
    case ErrorCode::kTransactionAborted:
    case ErrorCode::kServiceCommunicationProblem:
    case ErrorCode::kPartitionNotOwned:
      return true;
    default:
      return false;
  }
}

// Those of them that say that there is no broker, or nobody who leads it.
bool TellsOfAnEnd(ErrorCode code) {
  return code == ErrorCode::kServiceCommunicationProblem || code == ErrorCode::kPartitionNotOwned;
}

// Where the machine stands still for half the time in which a leader must be heard, another node
// may lead although nothing was done to the one that led: what it said last may be as old again.
bool MayHaveLostLeading(const LifeRecord& life) {
  return life.standstill > life.election_timeout / 2;
}

// And clients that wait for a sign of life, as those over AMQP and HTTP do, go.
bool MayBeTooSlow(const LifeRecord& life, const Operation& failed) {
  if (!MayHaveLostLeading(life)) return false;
  const ErrorCode code = failed.reply.code;
  return code == ErrorCode::kPartitionNotOwned ||
         (failed.hides_outcome && code == ErrorCode::kServiceCommunicationProblem);
}

enum class Presence : std::uint8_t { kAbsent, kPossible, kPresent };

// Of a queue with these changes, all those of them that were not refused.
Presence PresenceAt(Tick tick, const std::vector<const QueueChange*>& changes) {
  Presence presence = Presence::kAbsent;
  for (const QueueChange* change : changes) {
    if (change->begin > tick) continue;
    if (change->verb == QueueVerb::kCreate) {
      presence = change->is_ok() ? Presence::kPresent : Presence::kPossible;
    } else if (change->verb == QueueVerb::kDelete) {
      presence = change->is_ok() ? Presence::kAbsent : Presence::kPossible;
    }
  }
  return presence;
}

// Over AMQP and HTTP: of a node that does not lead any more, and of a connection that is closed,
// for behind a close nothing is answered, whether it was read or not.
bool MeansEither(ErrorCode code) {
  return code == ErrorCode::kPartitionNotOwned || code == ErrorCode::kServiceCommunicationProblem;
}

std::string WordsOf(const Reply& reply) {
  return std::string(ReasonOf(reply.code)) + (reply.words.empty() ? "" : ": " + reply.words);
}

}  // namespace

void RunChecks::Run() {
  CheckLives();
  CheckAnswers();
  CheckVersions();
  CheckLists();
}

void RunChecks::CheckLives() {
  for (std::size_t i = 0; i < history_.lives.size(); ++i) {
    const LifeRecord& life = history_.lives[i];
    if (!life.is_ready) {
      Report(Rule::kStartsAgain, fmt::format("start {} did not come to its end", i + 1));
    } else if (Seconds(life.start) > Seconds(kStartMax) * life.slowness) {
      Report(Rule::kStartsAgain, fmt::format("start {} took {:.1f} s", i + 1, Seconds(life.start)));
    }
    if (life.silence && Seconds(*life.silence) > Seconds(kSilenceMax) * life.slowness) {
      Report(
          Rule::kStartsAgain,
          fmt::format("nothing was acknowledged for {:.1f} s in life {}, in which leadership was "
                      "handed over in order",
                      Seconds(*life.silence), i + 1));
    }
    if (life.is_killed) continue;
    if (!life.ended_cleanly) {
      Report(Rule::kStopsWhenAsked, fmt::format("life {} did not end in order", i + 1));
    }
    if (Seconds(life.stop) > Seconds(kStopMax) * life.slowness) {
      Report(Rule::kStopsWhenAsked,
             fmt::format("life {} took {:.1f} s to stop", i + 1, Seconds(life.stop)));
    }
  }
}

// Nobody is left without an answer while the broker lives and nobody asked it to stop.
void RunChecks::CheckAnswer(const Operation& operation) {
  if (operation.is_ok()) return;
  CheckDoubt(operation);
  if (operation.is_refused() && !IsExpected(operation.reply.code)) {
    Report(Rule::kAnswersHold, fmt::format("a request that began at {} was refused with {}",
                                           operation.begin, ReasonOf(operation.reply.code)));
  }
  if (operation.is_refused() && !TellsOfAnEnd(operation.reply.code)) return;
  const LifeRecord* life = LifeAt(history_, operation.begin);
  if (life != nullptr && (life->signal < operation.end || MayBeTooSlow(*life, operation))) return;
  Report(Rule::kAnswersHold,
         fmt::format("a request from {} to {} had no answer ({}) although the broker lived{}",
                     operation.begin, operation.end, WordsOf(operation.reply),
                     life == nullptr ? "" : About(*life)));
}

// By which the logs of its nodes are read.
std::string RunChecks::About(const LifeRecord& life) const {
  return fmt::format(
      ": life {}, ready at {}, from {} until it was struck at {}, {:.1f} times as "
      "slow as usual",
      &life - history_.lives.data() + 1, wharf::ToString(life.ready_at), life.begin, life.signal,
      life.slowness);
}

// Nobody is left in doubt by a broker that was asked to stop; what ended before is no matter of the
// stop.
void RunChecks::CheckDoubt(const Operation& operation) {
  const LifeRecord* life = LifeAt(history_, operation.begin);
  if (!operation.is_unknown() || life == nullptr || life->is_killed) return;
  if (operation.end <= life->signal) return;
  // Of several nodes, where another one may lead meanwhile although nobody asked for it, or none in
  // time.
  const bool has_time = life->slowness <= kTooSlowToStop;
  if (!life->answers_all && (!has_time || MayHaveLostLeading(*life))) return;
  if (operation.hides_outcome && MeansEither(operation.reply.code)) return;
  Report(Rule::kStopsWhenAsked,
         fmt::format("a request from {} to {} is left in doubt ({}) by the stop at {}",
                     operation.begin, operation.end, WordsOf(operation.reply), life->signal));
}

void RunChecks::CheckAnswers() {
  const auto check = [this](const auto& records) {
    for (const Operation& operation : records) CheckAnswer(operation);
  };
  check(history_.queue_changes);
  check(history_.sends);
  check(history_.repeats);
  check(history_.settles);
  check(history_.renews);
  check(history_.peeks);
  check(history_.purges);
  check(history_.job_looks);
  check(history_.session_uses);
  for (const ReceiveRecord& receive : history_.receives) CheckDoubt(receive);
  // Nobody may have sent anything to a session that is free.
  for (const SessionAcceptRecord& accept : history_.session_accepts) {
    if (!accept.is_refused() || accept.reply.code != ErrorCode::kServiceTimeout) {
      CheckAnswer(accept);
    }
  }
  // What is asked for by its number may be elsewhere by now.
  const auto check_by_number = [this](const Operation& operation) {
    if (operation.reply.code != ErrorCode::kMessageNotFound) CheckAnswer(operation);
  };
  for (const CancelRecord& cancel : history_.cancels) check_by_number(cancel);
  for (const MoveRecord& move : history_.moves) check_by_number(move);
  for (const ActivateRecord& activation : history_.activations) check_by_number(activation);
  for (const UndeferRecord& undefer : history_.undefers) check_by_number(undefer);
  for (const ReceiveRecord& receive : history_.receives) {
    receive.numbers.empty() ? CheckAnswer(receive) : check_by_number(receive);
  }
  // The jobs of a day are kept, up to a limit.
  for (const RedriveRecord& redrive : history_.redrives) {
    if (redrive.reply.code != ErrorCode::kQuotaExceeded) CheckAnswer(redrive);
  }
}

// The properties of a queue are those of the last update that was acknowledged, or of one after it
// that had no answer.
void RunChecks::CheckVersions() {
  for (const QueueChange& look : history_.queue_changes) {
    if (look.verb != QueueVerb::kLook || !look.is_ok()) continue;
    std::uint64_t least = 0;
    bool was_written = look.version == 0;
    for (const QueueChange& update : history_.queue_changes) {
      if (update.verb != QueueVerb::kUpdate || update.queue != look.queue) continue;
      if (update.is_ok() && update.end < look.begin) least = std::max(least, update.version);
      if (update.version == look.version) was_written = !update.is_refused();
    }
    if (was_written && look.version >= least) continue;
    Report(Rule::kAnswersHold,
           fmt::format("at {} the queue '{}' has the properties of update {}, after {}", look.begin,
                       history_.queues[look.queue].name, look.version, least));
  }
}

// A queue that was made is there until it is deleted, and not longer (I9).
void RunChecks::CheckLists() {
  std::vector<std::vector<const QueueChange*>> changes(history_.queues.size());
  for (const QueueChange& change : history_.queue_changes) {
    if (!change.is_refused()) changes[change.queue].push_back(&change);
  }
  for (const QueueListRecord& list : history_.queue_lists) CheckList(list, changes);
}

void RunChecks::CheckList(const QueueListRecord& list,
                          const std::vector<std::vector<const QueueChange*>>& changes) {
  std::set<std::string> listed(list.names.begin(), list.names.end());
  std::set<std::string> possible;
  for (QueueIndex queue = 0; queue < changes.size(); ++queue) {
    const Presence presence = PresenceAt(list.begin, changes[queue]);
    const std::string& name = history_.queues[queue].name;
    if (presence != Presence::kAbsent) possible.insert(name);
    if (presence != Presence::kPresent || listed.contains(name)) continue;
    Report(Rule::kNothingLost, fmt::format("at {} the queue '{}' is lost", list.begin, name));
  }
  for (const std::string& name : listed) {
    if (possible.contains(name)) continue;
    Report(Rule::kNoResurrection,
           fmt::format("at {} the queue '{}' is there, which was deleted or never made", list.begin,
                       name));
  }
}

}  // namespace wharf::crash
