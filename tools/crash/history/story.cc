#include "tools/crash/history/story.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "tools/crash/history/purge_reach.h"

namespace wharf::crash {
namespace {

// A lock that was told roughly stands behind those of the same second that were heard of before.
void Place(std::vector<Holding>& holdings) {
  for (Holding& holding : holdings) {
    holding.place = Millisecond(holding.locked_from);
    if (holding.delivery->rounding == Duration(0)) continue;
    for (const Holding& other : holdings) {
      const bool is_exact = other.delivery->rounding == Duration(0);
      const bool is_before = other.delivery->at < holding.delivery->at;
      if (is_exact && is_before && other.locked_from < holding.LatestStart()) {
        holding.place = std::max(holding.place, Millisecond(other.locked_from));
      }
    }
  }
}

void AddSignsOf(const Holding& holding, std::vector<Sign>& signs) {
  const DeliveryRecord& delivery = *holding.delivery;
  Sign sign{.lane = delivery.source.lane, .redrives = delivery.redrives};
  const auto add = [&](Tick begin, Tick end) {
    sign.begin = begin;
    sign.end = end;
    signs.push_back(sign);
  };
  add(delivery.since, delivery.at);
  for (const RenewRecord* renew : holding.renews) {
    if (renew->is_ok()) add(renew->begin, renew->end);
  }
  for (const SettleRecord* settle : holding.settles) {
    if (!settle->is_ok()) continue;
    add(settle->begin, settle->end);
    if (settle->verb != Verb::kDeadLetter) continue;
    signs.push_back(sign);
    signs.back().lane = Lane::kDeadLetter;
  }
}

// It was scheduled when this was asked.
template <typename Request>
void AddSignsOf(const std::vector<const Request*>& requests, std::vector<Sign>& signs) {
  for (const Request* request : requests) {
    if (!request->is_ok()) continue;
    signs.push_back({.begin = request->begin, .end = request->end, .is_scheduled = true});
  }
}

std::vector<Sign> SignsOf(const Story& story) {
  std::vector<Sign> signs;
  if (story.sent != nullptr && story.sent->reply.answer == Answer::kOk) {
    signs.push_back(
        {.begin = story.send->begin, .end = story.send->end, .is_scheduled = story.IsScheduled()});
  }
  for (const Holding& holding : story.holdings) AddSignsOf(holding, signs);
  for (const Sighting& sighting : story.sightings) {
    signs.push_back({.begin = sighting.begin,
                     .end = sighting.end,
                     .lane = sighting.source.lane,
                     .is_scheduled = sighting.message->state == State::kScheduled,
                     .redrives = sighting.message->redrives});
  }
  AddSignsOf(story.cancels, signs);
  AddSignsOf(story.moves, signs);
  AddSignsOf(story.activations, signs);
  for (const ActivateRecord* activation : story.activations) {
    if (activation->is_ok()) signs.push_back({.begin = activation->begin, .end = activation->end});
  }
  return signs;
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
  for (const PurgeRecord* purge : purges) since = std::min(since, purge->begin);
  return since;
}

Tick Story::LastSign() const {
  Tick last = 0;
  for (const Sign& sign : signs) last = std::max(last, sign.begin);
  return last;
}

Storybook::Storybook(const History& history) : history_(history), session_locks_(history) {
  AddSends();
  AddHoldings();
  AddSightings();
  AddScheduled();
  AddRepeats();
  for (auto& [id, story] : stories_) {
    Order(story);
    story.signs = SignsOf(story);
  }
  AddPurges();
}

Duration Storybook::TimeToLive(const Story& story) const {
  const Duration of_all = queue(story).time_to_live;
  const Duration own = story.sent->time_to_live;
  return own > Duration(0) ? std::min(own, of_all) : of_all;
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
    holding.rounding = delivery.rounding;
    for (const RenewRecord* renew : holding.renews) {
      if (!renew->is_ok()) continue;
      holding.locked_until = std::max(holding.locked_until, renew->locked_until);
      holding.rounding = std::max(holding.rounding, renew->rounding);
    }
    // It is locked as long as its session.
    holding.session = session_locks_.Find(delivery.session_token);
    if (holding.session != nullptr) {
      holding.locked_from = holding.session->from;
      holding.locked_until = std::max(holding.locked_until, holding.session->until);
    }
    Story& story = stories_[delivery.id];
    story.id = delivery.id;
    story.holdings.push_back(std::move(holding));
  }
}

void Storybook::AddSightings() {
  const auto add = [this](const auto& look, const Source& source,
                          const std::vector<SeenMessage>& messages) {
    for (const SeenMessage& message : messages) {
      Story& story = stories_[message.id];
      story.id = message.id;
      story.sightings.push_back({look.begin, look.end, look.began_at, source, &message});
    }
  };
  for (const PeekRecord& peek : history_.peeks) add(peek, peek.source, peek.messages);
  for (const CensusRecord& census : history_.censuses) {
    add(census, {census.queue, Lane::kMain}, census.active);
    add(census, {census.queue, Lane::kDeadLetter}, census.dead_letters);
  }
}

void Storybook::AddScheduled() {
  for (const CancelRecord& cancel : history_.cancels) {
    stories_[cancel.id].cancels.push_back(&cancel);
  }
  for (const MoveRecord& move : history_.moves) stories_[move.id].moves.push_back(&move);
  for (const ActivateRecord& activation : history_.activations) {
    stories_[activation.id].activations.push_back(&activation);
  }
}

void Storybook::AddPurges() {
  const PurgeReach reach(history_);
  for (auto& [id, story] : stories_) {
    if (story.send == nullptr) continue;
    for (const PurgeRecord& purge : history_.purges) {
      if (reach.MayTake(purge, story)) story.purges.push_back(&purge);
    }
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
  Place(story.holdings);
  std::sort(
      story.holdings.begin(), story.holdings.end(), [&](const Holding& one, const Holding& other) {
        if (is_consumed) return one.delivery->at < other.delivery->at;
        return std::tie(one.place, one.delivery->at) < std::tie(other.place, other.delivery->at);
      });
  for (Holding& holding : story.holdings) {
    std::sort(holding.settles.begin(), holding.settles.end(),
              [](const auto* one, const auto* other) { return one->begin < other->begin; });
  }
  std::sort(story.sightings.begin(), story.sightings.end(),
            [](const Sighting& one, const Sighting& other) { return one.begin < other.begin; });
  std::sort(story.moves.begin(), story.moves.end(),
            [](const auto* one, const auto* other) { return one->begin < other->begin; });
}

}  // namespace wharf::crash
