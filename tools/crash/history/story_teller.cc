#include "tools/crash/history/story_teller.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

std::string_view Text(Verb verb) {
  switch (verb) {
    case Verb::kComplete:
      return "complete";
    case Verb::kAbandon:
      return "abandon";
    case Verb::kDeadLetter:
      return "dead-letter";
    case Verb::kRelease:
      return "release";
    case Verb::kDefer:
      return "defer";
  }
  return "";
}

std::string Text(const SessionUseRecord& use) {
  switch (use.verb) {
    case SessionVerb::kRenew:
      return "renewed until " + wharf::ToString(use.locked_until);
    case SessionVerb::kLeave:
      return "left";
    case SessionVerb::kRelease:
      return "released";
    case SessionVerb::kGetState:
      return fmt::format("state {} read", use.state);
    case SessionVerb::kSetState:
      return fmt::format("state {} set with {} completes", use.state, use.completes.size());
  }
  return "";
}

std::string_view Text(State state) {
  switch (state) {
    case State::kActive:
      return "active";
    case State::kDeferred:
      return "deferred";
    case State::kScheduled:
      return "scheduled";
  }
  return "";
}

std::string TextOfRest(const SeenMessage& seen) {
  return seen.available_at ? ", resting until " + wharf::ToString(*seen.available_at) : "";
}

std::string TextOfDue(const std::optional<Timestamp>& due) {
  return due ? " for " + wharf::ToString(*due) : "";
}

std::string TextOfRedrives(const SeenMessage& seen) {
  return seen.redrives > 0 ? fmt::format(", sent back {} times", seen.redrives) : "";
}

std::string Text(const Reply& reply) {
  if (reply.answer == Answer::kOk) return "ok";
  return fmt::format("{} ({})", reply.answer == Answer::kRefused ? "refused" : "unknown",
                     ReasonOf(reply.code));
}

std::string TextOfDelay(const SettleRecord& settle) {
  if (settle.delay == Duration(0)) return "";
  return fmt::format(" for {} ms", settle.delay / std::chrono::milliseconds(1));
}

std::string Short(const std::string& token) {
  std::string text;
  for (const char c : token.substr(0, 4)) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

// The lines of a story, by tick.
using Lines = std::multimap<Tick, std::string>;

void TellHolding(const Holding& holding, std::string_view path, Lines& lines) {
  const DeliveryRecord& delivery = *holding.delivery;
  lines.emplace(
      delivery.at,
      fmt::format(
          "delivered{}{} from {}{} to receiver {}: number {}, count {}, mark {}, {} bytes, {}",
          delivery.is_by_number ? " by its number" : "",
          delivery.reason.empty() ? "" : " (" + delivery.reason + ")", path,
          TextOfRedrives(delivery), delivery.receiver, delivery.sequence_number,
          delivery.delivery_count, delivery.mark, delivery.body.size,
          delivery.mode == Mode::kPeekLock ? fmt::format("lock {} until {}", Short(delivery.token),
                                                         wharf::ToString(delivery.locked_until))
                                           : "deleted"));
  for (const SettleRecord* settle : holding.settles) {
    lines.emplace(settle->begin,
                  fmt::format("{}{} with {}, mark {}: {} at {} ({})", Text(settle->verb),
                              TextOfDelay(*settle), Short(settle->token), settle->mark,
                              Text(settle->reply), settle->end, wharf::ToString(settle->ended_at)));
  }
  for (const RenewRecord* renew : holding.renews) {
    lines.emplace(renew->begin, fmt::format("renew {}: {} at {}, until {}", Short(renew->token),
                                            Text(renew->reply), renew->end,
                                            wharf::ToString(renew->locked_until)));
  }
}

// Those of its session under which it was in hand.
std::set<const SessionLock*> LocksOf(const Story& story) {
  std::set<const SessionLock*> locks;
  for (const Holding& holding : story.holdings) {
    if (holding.session != nullptr) locks.insert(holding.session);
  }
  return locks;
}

void TellSession(const SessionLock& lock, Lines& lines) {
  const SessionAcceptRecord& accept = *lock.accept;
  lines.emplace(accept.begin,
                fmt::format("session '{}' accepted at {}: lock {} until {}", accept.session,
                            accept.end, Short(accept.token), wharf::ToString(accept.locked_until)));
  for (const SessionUseRecord* use : lock.uses) {
    lines.emplace(use->begin, fmt::format("session lock {}: {}: {} at {}", Short(accept.token),
                                          Text(*use), Text(use->reply), use->end));
  }
}

void TellSend(const Story& story, std::string_view queue, Lines& lines) {
  lines.emplace(story.send->begin,
                fmt::format("sent to {}{}{}{}, {} bytes: {} at {}, number {}", queue,
                            story.send->via ? ", to be forwarded," : "",
                            story.send->is_atomic ? " in an atomic batch" : "",
                            TextOfDue(story.sent->due), story.sent->body.size,
                            Text(story.sent->reply), story.send->end, story.sent->sequence_number));
}

void TellSighting(const Sighting& sighting, std::string_view path, Lines& lines) {
  const SeenMessage& seen = *sighting.message;
  lines.emplace(sighting.begin,
                fmt::format("seen {}{}{} in {}{}: number {}, count {}", Text(seen.state),
                            TextOfDue(seen.due), TextOfRest(seen), path, TextOfRedrives(seen),
                            seen.sequence_number, seen.delivery_count));
}

void TellSchedule(const Story& story, Lines& lines) {
  for (const MoveRecord* move : story.moves) {
    lines.emplace(move->begin, fmt::format("moved{}: {} at {}", TextOfDue(move->due),
                                           Text(move->reply), move->end));
  }
  for (const ActivateRecord* activation : story.activations) {
    lines.emplace(activation->begin,
                  fmt::format("activated: {} at {}, number {}", Text(activation->reply),
                              activation->end, activation->sequence_number));
  }
  for (const CancelRecord* cancel : story.cancels) {
    lines.emplace(cancel->begin,
                  fmt::format("cancelled: {} at {}", Text(cancel->reply), cancel->end));
  }
}

// Where messages are received and deleted, who may have had it: each receive that ended behind its
// send, up to a bound.
void TellTakers(const History& history, const Story& story, Lines& lines) {
  constexpr int kTakersMax = 50;
  const QueueIndex queue = story.send->SentTo();
  if (!history.queues[queue].is_consumed) return;
  int takers = 0;
  for (const ReceiveRecord& receive : history.receives) {
    if (receive.source.queue != queue || receive.end < story.send->begin) continue;
    if (++takers > kTakersMax) return;
    lines.emplace(receive.begin, fmt::format("received and deleted there: {} at {}{}, {} open",
                                             Text(receive.reply), receive.end,
                                             receive.is_left ? ", left" : "", receive.open_credit));
  }
}

// How a life ended.
std::string_view Text(const LifeRecord& life) {
  if (!life.fault.empty()) return life.fault;
  return life.is_killed ? "kill -9" : "SIGTERM";
}

// The ends of the lives that the story went through, and the first after it.
void AddLives(const History& history, Lines& lines) {
  if (lines.empty()) return;
  const Tick last = lines.rbegin()->first;
  for (std::size_t life = 0; life < history.lives.size(); ++life) {
    const LifeRecord& record = history.lives[life];
    if (record.signal < lines.begin()->first) continue;
    lines.emplace(record.signal, fmt::format("-- life {} ends by {}", life + 1, Text(record)));
    if (record.signal > last) return;
  }
}

std::string PathOf(const History& history, const Source& source) {
  return history.queues[source.queue].name +
         (source.lane == Lane::kDeadLetter ? "/$DeadLetterQueue" : "");
}

}  // namespace

std::string TellStory(const Storybook& book, const MessageId& id) {
  const History& history = book.history();
  const Story& story = book.stories().at(id);
  Lines lines;
  if (story.send != nullptr) TellSend(story, history.queues[story.send->SentTo()].name, lines);
  for (const Holding& holding : story.holdings) {
    TellHolding(holding, PathOf(history, holding.delivery->source), lines);
  }
  for (const SessionLock* lock : LocksOf(story)) TellSession(*lock, lines);
  for (const Sighting& sighting : story.sightings) {
    TellSighting(sighting, PathOf(history, sighting.source), lines);
  }
  TellSchedule(story, lines);
  for (const PurgeRecord* purge : story.purges) {
    lines.emplace(purge->begin,
                  fmt::format("{} is purged: {} at {}, {} messages", PathOf(history, purge->source),
                              Text(purge->reply), purge->end, purge->purged_count));
  }
  for (const RepeatRecord* repeat : story.repeats) {
    lines.emplace(
        repeat->begin,
        fmt::format("sent again: {} at {}, {} {}", Text(repeat->reply), repeat->end,
                    repeat->is_duplicate ? "a duplicate of" : "number", repeat->sequence_number));
  }
  AddLives(history, lines);
  if (story.send != nullptr) TellTakers(history, story, lines);
  std::string text;
  for (const auto& [tick, line] : lines) text += fmt::format("    {:>8}  {}\n", tick, line);
  return text;
}

}  // namespace wharf::crash
