#include "tools/crash/checks/queue_checks.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/checks/story_checks.h"
#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

bool IsStored(const SentMessage& sent) { return sent.reply.answer == Answer::kOk; }

bool IsNumbered(const SentMessage& sent) { return IsStored(sent) && sent.sequence_number != 0; }

std::int64_t Count(const std::vector<SeenMessage>& messages, State state) {
  return std::count_if(messages.begin(), messages.end(),
                       [&](const SeenMessage& message) { return message.state == state; });
}

std::int64_t Bytes(const std::vector<SeenMessage>& messages) {
  return std::accumulate(
      messages.begin(), messages.end(), std::int64_t{0},
      [](std::int64_t sum, const SeenMessage& message) { return sum + message.size; });
}

}  // namespace

QueueChecks::QueueChecks(const Storybook& book, Violations& violations)
    : book_(book),
      violations_(violations),
      censuses_(book.history().queues.size()),
      deleted_since_(DeletedSince(book.history())),
      vanishing_(book.history()) {
  for (const CensusRecord& record : book.history().censuses) {
    Census census{&record, {}};
    for (const auto* messages : {&record.active, &record.dead_letters}) {
      for (const SeenMessage& message : *messages) {
        if (census.messages.insert(message.id).second) continue;
        violations_.push_back(
            {Rule::kOnePlace, fmt::format("it is there twice at {}", record.begin), message.id});
      }
    }
    censuses_[record.queue].push_back(std::move(census));
  }
}

void QueueChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send != nullptr) CheckNotLost(story);
  }
  CheckVanished();
  for (const SendRecord& send : book_.history().sends) {
    if (send.is_atomic) CheckAtomic(send);
  }
  CheckUniqueNumbers();
  CheckRisingNumbers();
  CheckNumbersOfClients();
  CheckFirstDeliveries();
  for (const CensusRecord& census : book_.history().censuses) CheckCounters(census);
}

const QueueChecks::Census* QueueChecks::FirstWithout(const Story& story) const {
  const QueueIndex queue = story.send->queue;
  const Tick known = story.KnownSince();
  const Tick gone = std::min(story.GoneSince(), deleted_since_[queue]);
  for (const Census& census : censuses_[queue]) {
    if (census.record->begin < known || census.record->end > gone) continue;
    if (!census.messages.contains(story.id)) return &census;
  }
  return nullptr;
}

void QueueChecks::CheckNotLost(const Story& story) {
  const Census* census = FirstWithout(story);
  if (census == nullptr) return;
  if (book_.queue(story).is_consumed) return NoteVanished(story, *census);
  if (book_.queue(story).expires_to_nothing) return CheckExpired(story, *census);
  violations_.push_back({Rule::kNothingLost,
                         fmt::format("a message of '{}' is lost: at {} it is not there",
                                     book_.queue(story).name, census->record->begin),
                         story.id});
}

// What is missing once has gone for good.
void QueueChecks::CheckExpired(const Story& story, const Census& census) {
  const CensusRecord& record = *census.record;
  if (story.LastSign() > record.end) {
    violations_.push_back({Rule::kNoResurrection,
                           fmt::format("a message of '{}' was gone at {}, and is there again",
                                       book_.queue(story).name, record.begin),
                           story.id});
  } else if (!vanishing_.MayExplain(record, story, book_.TimeToLive(story))) {
    violations_.push_back({Rule::kNothingLost,
                           fmt::format("a message of '{}' is lost: at {} it is not there, and "
                                       "cannot have expired",
                                       book_.queue(story).name, record.begin),
                           story.id});
  }
}

void QueueChecks::NoteVanished(const Story& story, const Census& census) {
  vanished_[&census].push_back(story.id);
}

// A client that went without a word, or was cut off, may still be given what is sent until the
// broker sees that.
bool QueueChecks::MayHaveTaken(const ReceiveRecord& receive, Tick since,
                               const std::vector<MessageId>& messages) const {
  if (receive.end > since) return MayHaveLost(book_.history(), receive);
  return receive.is_unheard() &&
         std::any_of(messages.begin(), messages.end(), [&](const MessageId& id) {
           return book_.stories().at(id).send->began_at <= receive.ended_at + kGoneMargin;
         });
}

// Of what is received and deleted, as much may be gone as was on its way then.
void QueueChecks::CheckVanished() {
  for (const auto& [census, messages] : vanished_) {
    const auto& censuses = censuses_[census->record->queue];
    const Tick since = census == &censuses.front() ? 0 : (census - 1)->record->begin;
    std::uint64_t allowed = 0;
    for (const ReceiveRecord& receive : book_.history().receives) {
      if (receive.source.queue == census->record->queue && receive.begin < census->record->begin &&
          MayHaveTaken(receive, since, messages)) {
        allowed += receive.open_credit;
      }
    }
    if (messages.size() <= allowed) continue;
    violations_.push_back(
        {Rule::kNothingLost,
         fmt::format("{} messages vanished, at most {} were on their way to a receiver",
                     messages.size(), allowed),
         messages.front()});
  }
}

// A run that could not go on has not.
bool QueueChecks::WasLookedAt(const SendRecord& send) const {
  const auto& censuses = censuses_[send.queue];
  return !censuses.empty() && censuses.back().record->begin > send.begin;
}

bool QueueChecks::CanBeMissed(const SendRecord& send, const Story& story) const {
  return story.purges.empty() && !book_.queue(story).expires_to_nothing && WasLookedAt(send);
}

void QueueChecks::CheckAtomic(const SendRecord& send) {
  if (deleted_since_[send.queue] != kNoTick) return;
  std::size_t seen = 0;
  std::size_t missing = 0;
  std::int64_t number = send.messages.front().sequence_number;
  for (const SentMessage& sent : send.messages) {
    const Story& story = book_.stories().at(sent.id);
    if (!story.holdings.empty() || !story.sightings.empty()) {
      ++seen;
    } else if (CanBeMissed(send, story)) {
      ++missing;
    }
    if (IsNumbered(sent) && sent.sequence_number != number++) {
      violations_.push_back(
          {Rule::kOrder, "numbers in an atomic batch are not consecutive", sent.id});
    }
  }
  if (seen == 0 || missing == 0) return;
  violations_.push_back(
      {Rule::kNothingLost,
       fmt::format("of an atomic batch of {} messages {} are there", send.messages.size(), seen),
       send.messages.front().id});
}

void QueueChecks::CheckUniqueNumbers() {
  std::map<std::pair<QueueIndex, std::int64_t>, MessageId> owners;
  const auto check = [&](QueueIndex queue, std::int64_t number, const MessageId& id) {
    const auto [owner, is_new] = owners.emplace(std::pair(queue, number), id);
    if (is_new || owner->second == id) return;
    violations_.push_back(
        {Rule::kOrder, fmt::format("number {} is also that of {}", number, ToString(owner->second)),
         id});
  };
  for (const auto& [id, story] : book_.stories()) {
    if (story.sent != nullptr && IsNumbered(*story.sent)) {
      check(story.send->SentTo(), story.sent->sequence_number, id);
    }
    for (const Holding& holding : story.holdings) {
      check(holding.delivery->source.queue, holding.delivery->sequence_number, id);
    }
    for (const Sighting& sighting : story.sightings) {
      check(sighting.source.queue, sighting.message->sequence_number, id);
    }
  }
}

// Whoever sends after another has been answered gets a higher number.
void QueueChecks::CheckRisingNumbers() {
  struct Entry {
    const SendRecord* send;
    const SentMessage* sent;
  };
  std::vector<std::vector<Entry>> by_queue(censuses_.size());
  for (const SendRecord& send : book_.history().sends) {
    for (const SentMessage& sent : send.messages) {
      if (IsNumbered(sent)) by_queue[send.SentTo()].push_back({&send, &sent});
    }
  }
  for (std::vector<Entry>& entries : by_queue) {
    std::vector<Entry> answered = entries;
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.send->begin < b.send->begin; });
    std::sort(answered.begin(), answered.end(),
              [](const Entry& a, const Entry& b) { return a.send->end < b.send->end; });
    std::int64_t highest = 0;
    auto next = answered.begin();
    for (const Entry& entry : entries) {
      for (; next->send->end < entry.send->begin; ++next) {
        highest = std::max(highest, next->sent->sequence_number);
      }
      if (entry.sent->sequence_number > highest) continue;
      violations_.push_back(
          {Rule::kOrder,
           fmt::format("number {} was given after {}", entry.sent->sequence_number, highest),
           entry.sent->id});
    }
  }
}

void QueueChecks::CheckNumbersOfClients() {
  std::map<std::pair<QueueIndex, std::uint32_t>, std::int64_t> highest;
  for (const auto& [id, story] : book_.stories()) {
    if (story.sent == nullptr || !IsNumbered(*story.sent)) continue;
    std::int64_t& last = highest[{story.send->SentTo(), id.client}];
    if (story.sent->sequence_number <= last) {
      violations_.push_back({Rule::kOrder,
                             fmt::format("number {} was given after {} in the order of a sender",
                                         story.sent->sequence_number, last),
                             id});
    }
    last = std::max(last, story.sent->sequence_number);
  }
}

// What was on its way to a client that went without a word, or was cut off, and never written, came
// back without counting; it may have been sent when the client had gone already.
bool QueueChecks::MayBeHandedBack(const Story& story, const DeliveryRecord& delivery) const {
  const auto& receives = book_.history().receives;
  return std::any_of(receives.begin(), receives.end(), [&](const ReceiveRecord& receive) {
    return receive.is_unheard() && receive.source == delivery.source &&
           receive.begin < delivery.at && story.send->began_at <= receive.ended_at + kGoneMargin;
  });
}

// What a receiver gets for the first time, of messages that nobody ever got under this number,
// comes in the order of the numbers.
void QueueChecks::CheckFirstDeliveries() {
  std::vector<const DeliveryRecord*> firsts;
  for (const auto& [id, story] : book_.stories()) {
    // There each session has an order of its own: SessionOrderChecks.
    if (story.send == nullptr || book_.queue(story).requires_session) continue;
    std::int64_t redrives = -1;
    for (const Holding& holding : story.holdings) {
      const DeliveryRecord& delivery = *holding.delivery;
      const bool is_first = std::exchange(redrives, delivery.redrives) != delivery.redrives;
      const bool is_fresh = delivery.delivery_count == 0 && delivery.source.lane == Lane::kMain;
      if (is_first && is_fresh && !MayBeHandedBack(story, delivery)) firsts.push_back(&delivery);
    }
  }
  std::sort(firsts.begin(), firsts.end(),
            [](const auto* one, const auto* other) { return one->at < other->at; });
  std::map<std::pair<std::uint32_t, QueueIndex>, std::int64_t> highest;
  for (const DeliveryRecord* delivery : firsts) {
    std::int64_t& last = highest[{delivery->receiver, delivery->source.queue}];
    if (delivery->sequence_number < last) {
      violations_.push_back({Rule::kOrder,
                             fmt::format("number {} came to receiver {} after {}",
                                         delivery->sequence_number, delivery->receiver, last),
                             delivery->id});
    }
    last = std::max(last, delivery->sequence_number);
  }
}

void QueueChecks::CheckCounters(const CensusRecord& census) {
  const std::int64_t scheduled = Count(census.active, State::kScheduled);
  const auto active = static_cast<std::int64_t>(census.active.size()) - scheduled;
  const auto dead_letters = static_cast<std::int64_t>(census.dead_letters.size());
  const std::int64_t bytes = Bytes(census.active) + Bytes(census.dead_letters) + census.state_bytes;
  const bool is_exact = census.active_count == active && census.dead_letter_count == dead_letters &&
                        census.scheduled_count == scheduled &&
                        census.total_count == active + scheduled + dead_letters &&
                        census.bytes == bytes && census.locked_count >= 0 &&
                        census.locked_count <= active;
  if (is_exact) return;
  violations_.push_back(
      {Rule::kExactCounters,
       fmt::format("at {} the counters of '{}' say {} active ({} locked), {} scheduled, {} "
                   "dead-lettered, {} in all, {} bytes; there are {} active, {} scheduled, {} "
                   "dead-lettered, {} bytes",
                   census.begin, book_.history().queues[census.queue].name, census.active_count,
                   census.locked_count, census.scheduled_count, census.dead_letter_count,
                   census.total_count, census.bytes, active, scheduled, dead_letters, bytes)});
}

}  // namespace wharf::crash
