#include "tools/crash/checks/deferral_checks.h"

#include <algorithm>
#include <utility>

namespace wharf::crash {
namespace {

// The settlement that set the message aside, or back aside; null if none is known.
const SettleRecord* SetAside(const Holding& holding) {
  for (const SettleRecord* settle : holding.settles) {
    if (!settle->is_ok()) continue;
    const bool is_given_back = settle->verb == Verb::kAbandon || settle->verb == Verb::kRelease;
    const bool is_aside =
        settle->verb == Verb::kDefer || (holding.delivery->is_by_number && is_given_back);
    return is_aside ? settle : nullptr;
  }
  return nullptr;
}

// Of a message on its main lane: the last that began before this tick.
const Holding* LastBefore(const Story& story, Tick tick) {
  const Holding* last = nullptr;
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->at < tick) last = &holding;
  }
  return last;
}

template <typename Request>
bool Overlaps(const std::vector<const Request*>& requests, Tick since, const Operation& meanwhile) {
  return std::any_of(requests.begin(), requests.end(), [&](const Request* request) {
    const bool is_itself = request->begin == meanwhile.begin;
    return !is_itself && !request->is_refused() && request->begin < meanwhile.end &&
           request->end > since;
  });
}

}  // namespace

DeferralChecks::DeferralChecks(const Storybook& book, Violations& violations)
    : book_(book), violations_(violations) {
  for (const ReceiveRecord& receive : book.history().receives) {
    for (const std::int64_t number : receive.numbers) {
      requests_[{receive.source.queue, number}].receives.push_back(&receive);
    }
  }
  for (const UndeferRecord& undefer : book.history().undefers) {
    for (const std::int64_t number : undefer.numbers) {
      requests_[{undefer.queue, number}].undefers.push_back(&undefer);
    }
  }
}

void DeferralChecks::Report(const Story& story, std::string what) {
  violations_.push_back({Rule::kAnswersHold, std::move(what), story.id});
}

void DeferralChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr || story.holdings.empty()) continue;
    CheckDeliveries(story);
    CheckSightings(story);
    CheckRefusals(story);
  }
}

const DeferralChecks::Requests& DeferralChecks::RequestsFor(const DeliveryRecord& delivery) const {
  static const Requests kNone;
  const auto found = requests_.find({delivery.source.queue, delivery.sequence_number});
  return found == requests_.end() ? kNone : found->second;
}

void DeferralChecks::CheckDeliveries(const Story& story) {
  Possible possible;
  const Holding* before = nullptr;
  for (const Holding& holding : story.holdings) {
    const DeliveryRecord& delivery = *holding.delivery;
    if (delivery.source.lane == Lane::kDeadLetter) continue;
    if (before != nullptr && before->delivery->redrives != delivery.redrives) {
      // It was dead-lettered, and sent back.
      possible = {};
      before = nullptr;
    }
    AddUndefers(before, holding, possible);
    if (delivery.is_by_number && !possible.deferred) {
      Report(story, "received by its number, but it was not deferred");
    }
    if (!delivery.is_by_number && !possible.active) {
      Report(story, "a deferred message was delivered in order");
    }
    possible = After(holding);
    before = &holding;
  }
}

// What is given back, or whose lock ends, becomes what it was before.
DeferralChecks::Possible DeferralChecks::After(const Holding& holding) const {
  const bool was_deferred = holding.delivery->is_by_number;
  Possible possible{.active = !was_deferred, .deferred = was_deferred};
  for (const SettleRecord* settle : holding.settles) {
    if (settle->verb != Verb::kDefer || settle->is_refused()) continue;
    possible.deferred = true;
    if (settle->is_ok()) possible.active = false;
  }
  return possible;
}

void DeferralChecks::AddUndefers(const Holding* before, const Holding& next,
                                 Possible& possible) const {
  if (before == nullptr) return;
  for (const UndeferRecord* undefer : RequestsFor(*next.delivery).undefers) {
    if (undefer->is_refused()) continue;
    if (undefer->begin > next.delivery->at || undefer->end < before->delivery->at) continue;
    possible.active = true;
    // It found the message deferred, and nobody deferred it again.
    const bool is_between =
        undefer->begin > before->delivery->at && undefer->end < next.delivery->at;
    if (undefer->is_ok() && is_between) possible.deferred = false;
  }
}

bool DeferralChecks::IsSurelyDeferred(const Story& story, const Operation& meanwhile) const {
  const Holding* last = LastBefore(story, meanwhile.begin);
  if (last == nullptr || last->delivery->source.lane != Lane::kMain) return false;
  for (const PurgeRecord* purge : story.purges) {
    if (purge->begin < meanwhile.end) return false;
  }
  // What has expired goes to the dead-letter queue when it is asked for.
  if (book_.queue(story).time_to_live > Duration(0)) return false;
  const SettleRecord* settle = SetAside(*last);
  if (settle == nullptr || settle->end > meanwhile.begin) return false;
  // The attempt may have been the last: then it is in the dead-letter queue.
  if (last->delivery->delivery_count + 1 >= book_.queue(story).max_delivery_count) return false;
  // Others may find it, and ask for it, before who deferred it hears that it is.
  const Requests& requests = RequestsFor(*last->delivery);
  return !Overlaps(requests.receives, settle->begin, meanwhile) &&
         !Overlaps(requests.undefers, settle->begin, meanwhile);
}

void DeferralChecks::CheckSightings(const Story& story) {
  for (const Sighting& sighting : story.sightings) {
    Operation look;
    look.begin = sighting.begin;
    look.end = sighting.end;
    const bool is_deferred = sighting.message->state == State::kDeferred;
    if (is_deferred || !IsSurelyDeferred(story, look)) continue;
    Report(story, "a deferred message is not deferred any more");
  }
}

// Of several numbers any one may have been the reason; a number from before a redrive is void.
void DeferralChecks::CheckRefusals(const Story& story) {
  std::int64_t number = 0;
  for (const Holding& holding : story.holdings) {
    if (std::exchange(number, holding.delivery->sequence_number) ==
        holding.delivery->sequence_number) {
      continue;
    }
    for (const ReceiveRecord* receive : RequestsFor(*holding.delivery).receives) {
      if (receive->reply.code != ErrorCode::kMessageNotFound) continue;
      if (receive->numbers.size() > 1 || !IsSurelyDeferred(story, *receive)) continue;
      if (LastBefore(story, receive->begin)->delivery->sequence_number != number) continue;
      Report(story, "a deferred message was not found by its number");
    }
  }
}

}  // namespace wharf::crash
