#include "tools/crash/story.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

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

std::string TextOfDue(const SentMessage& sent) {
  return sent.due ? " for " + wharf::ToString(*sent.due) : "";
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
          "delivered{}{} from {} to receiver {}: number {}, count {}, mark {}, {} bytes, {}",
          delivery.is_by_number ? " by its number" : "",
          delivery.reason.empty() ? "" : " (" + delivery.reason + ")", path, delivery.receiver,
          delivery.sequence_number, delivery.delivery_count, delivery.mark, delivery.body.size,
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

// The ends of the lives that the story went through, and the first after it.
void AddLives(const History& history, Lines& lines) {
  if (lines.empty()) return;
  const Tick last = lines.rbegin()->first;
  for (std::size_t life = 0; life < history.lives.size(); ++life) {
    const LifeRecord& record = history.lives[life];
    if (record.signal < lines.begin()->first) continue;
    lines.emplace(record.signal, fmt::format("-- life {} ends by {}", life + 1,
                                             record.is_killed ? "kill -9" : "SIGTERM"));
    if (record.signal > last) return;
  }
}

std::string PathOf(const History& history, const Source& source) {
  return history.queues[source.queue].name +
         (source.lane == Lane::kDeadLetter ? "/$DeadLetterQueue" : "");
}

}  // namespace

bool Holding::Has(Verb verb, Answer answer) const {
  return std::any_of(settles.begin(), settles.end(), [&](const SettleRecord* settle) {
    return settle->verb == verb && settle->reply.answer == answer;
  });
}

Tick Holding::FirstSettle() const {
  Tick first = kNoTick;
  for (const SettleRecord* settle : settles) {
    if (!settle->is_refused()) first = std::min(first, settle->begin);
  }
  return first;
}

Tick Holding::FirstCompletion() const {
  if (delivery->mode == Mode::kReceiveAndDelete) return 0;
  Tick first = kNoTick;
  for (const SettleRecord* settle : settles) {
    if (settle->verb == Verb::kComplete && !settle->is_refused()) {
      first = std::min(first, settle->begin);
    }
  }
  return first;
}

Tick Story::KnownSince() const {
  Tick since = sent != nullptr && sent->reply.answer == Answer::kOk ? send->end : kNoTick;
  for (const Holding& holding : holdings) since = std::min(since, holding.delivery->at);
  for (const Sighting& sighting : sightings) since = std::min(since, sighting.end);
  for (const RepeatRecord* repeat : repeats) {
    if (repeat->is_ok()) since = std::min(since, repeat->end);
  }
  return since;
}

Tick Story::GoneSince() const {
  Tick since = kNoTick;
  for (const Holding& holding : holdings) since = std::min(since, holding.FirstCompletion());
  for (const CancelRecord* cancel : cancels) {
    if (!cancel->is_refused()) since = std::min(since, cancel->begin);
  }
  return since;
}

Storybook::Storybook(const History& history) : history_(history) {
  AddSends();
  AddHoldings();
  AddSightings();
  AddCancels();
  AddRepeats();
  for (auto& [id, story] : stories_) Order(story);
}

void Storybook::AddSends() {
  for (const SendRecord& send : history_.sends) {
    for (const SentMessage& sent : send.messages) {
      Story& story = stories_[sent.id];
      story.id = sent.id;
      story.send = &send;
      story.sent = &sent;
    }
  }
}

void Storybook::AddHoldings() {
  std::map<std::string_view,
           std::pair<std::vector<const SettleRecord*>, std::vector<const RenewRecord*>>>
      by_token;
  for (const SettleRecord& settle : history_.settles) {
    by_token[settle.token].first.push_back(&settle);
  }
  for (const RenewRecord& renew : history_.renews) by_token[renew.token].second.push_back(&renew);

  for (const DeliveryRecord& delivery : history_.deliveries) {
    Holding holding;
    holding.delivery = &delivery;
    const auto found = by_token.find(delivery.token);
    if (delivery.mode == Mode::kPeekLock && found != by_token.end()) {
      std::tie(holding.settles, holding.renews) = found->second;
    }
    holding.locked_from =
        delivery.locked_until - history_.queues[delivery.source.queue].lock_duration;
    holding.locked_until = delivery.locked_until;
    for (const RenewRecord* renew : holding.renews) {
      if (renew->is_ok())
        holding.locked_until = std::max(holding.locked_until, renew->locked_until);
    }
    Story& story = stories_[delivery.id];
    story.id = delivery.id;
    story.holdings.push_back(std::move(holding));
  }
}

void Storybook::AddSightings() {
  const auto add = [this](Tick begin, Tick end, const Source& source,
                          const std::vector<SeenMessage>& messages) {
    for (const SeenMessage& message : messages) {
      Story& story = stories_[message.id];
      story.id = message.id;
      story.sightings.push_back({begin, end, source, &message});
    }
  };
  for (const PeekRecord& peek : history_.peeks) {
    add(peek.begin, peek.end, peek.source, peek.messages);
  }
  for (const CensusRecord& census : history_.censuses) {
    add(census.begin, census.end, {census.queue, Lane::kMain}, census.active);
    add(census.begin, census.end, {census.queue, Lane::kDeadLetter}, census.dead_letters);
  }
}

void Storybook::AddCancels() {
  for (const CancelRecord& cancel : history_.cancels) {
    stories_[cancel.id].cancels.push_back(&cancel);
  }
}

void Storybook::AddRepeats() {
  for (const RepeatRecord& repeat : history_.repeats) {
    stories_[repeat.id].repeats.push_back(&repeat);
  }
}

// A lock tells when it began; what was received and deleted has none, and is alone in its queue.
void Storybook::Order(Story& story) const {
  const bool is_consumed = story.send != nullptr && queue(story).is_consumed;
  std::sort(story.holdings.begin(), story.holdings.end(),
            [&](const Holding& one, const Holding& other) {
              if (is_consumed) return one.delivery->at < other.delivery->at;
              return std::tie(one.locked_from, one.delivery->at) <
                     std::tie(other.locked_from, other.delivery->at);
            });
  for (Holding& holding : story.holdings) {
    std::sort(holding.settles.begin(), holding.settles.end(),
              [](const auto* one, const auto* other) { return one->begin < other->begin; });
  }
  std::sort(story.sightings.begin(), story.sightings.end(),
            [](const Sighting& one, const Sighting& other) { return one.begin < other.begin; });
}

std::string Storybook::Tell(const MessageId& id) const {
  const Story& story = stories_.at(id);
  Lines lines;
  if (story.send != nullptr) {
    lines.emplace(
        story.send->begin,
        fmt::format("sent to {}{}{}, {} bytes: {} at {}, number {}", queue(story).name,
                    story.send->is_atomic ? " in an atomic batch" : "", TextOfDue(*story.sent),
                    story.sent->body.size, Text(story.sent->reply), story.send->end,
                    story.sent->sequence_number));
  }
  for (const Holding& holding : story.holdings) {
    TellHolding(holding, PathOf(history_, holding.delivery->source), lines);
  }
  for (const Sighting& sighting : story.sightings) {
    lines.emplace(sighting.begin,
                  fmt::format("seen {}{} in {}: number {}, count {}", Text(sighting.message->state),
                              TextOfRest(*sighting.message), PathOf(history_, sighting.source),
                              sighting.message->sequence_number, sighting.message->delivery_count));
  }
  for (const CancelRecord* cancel : story.cancels) {
    lines.emplace(cancel->begin,
                  fmt::format("cancelled: {} at {}", Text(cancel->reply), cancel->end));
  }
  for (const RepeatRecord* repeat : story.repeats) {
    lines.emplace(
        repeat->begin,
        fmt::format("sent again: {} at {}, {} {}", Text(repeat->reply), repeat->end,
                    repeat->is_duplicate ? "a duplicate of" : "number", repeat->sequence_number));
  }
  AddLives(history_, lines);
  std::string text;
  for (const auto& [tick, line] : lines) text += fmt::format("    {:>8}  {}\n", tick, line);
  return text;
}

}  // namespace wharf::crash
