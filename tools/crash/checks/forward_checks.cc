#include "tools/crash/checks/forward_checks.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

// Any look at it, before it was sent back under another number.
const SeenMessage* FirstSeen(const Story& story) {
  const auto is_first = [](const SeenMessage& seen) { return seen.redrives == 0; };
  for (const Holding& holding : story.holdings) {
    if (is_first(*holding.delivery)) return holding.delivery;
  }
  for (const Sighting& sighting : story.sightings) {
    if (is_first(*sighting.message)) return sighting.message;
  }
  return nullptr;
}

}  // namespace

void ForwardChecks::Run() {
  for (std::vector<Passage>& passages : Passages()) CheckOrder(passages);
  for (const CensusRecord& census : book_.history().censuses) {
    if (book_.history().queues[census.queue].forwards_to) CheckNothingLeft(census);
  }
}

// A send without an answer was stored under a number that only the message tells.
std::vector<std::vector<ForwardChecks::Passage>> ForwardChecks::Passages() const {
  std::vector<std::vector<Passage>> passages(book_.history().queues.size());
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr || !story.send->via) continue;
    const SeenMessage* seen = FirstSeen(story);
    if (seen == nullptr) continue;
    passages[*story.send->via].push_back({seen->first_number, seen->sequence_number, id});
  }
  return passages;
}

void ForwardChecks::CheckOrder(std::vector<Passage>& passages) {
  std::sort(passages.begin(), passages.end(),
            [](const Passage& one, const Passage& other) { return one.stored < other.stored; });
  for (std::size_t i = 1; i < passages.size(); ++i) {
    if (passages[i].arrived > passages[i - 1].arrived) continue;
    violations_.push_back(
        {Rule::kOrder,
         fmt::format("number {} arrived as {}, number {} as {}", passages[i - 1].stored,
                     passages[i - 1].arrived, passages[i].stored, passages[i].arrived),
         passages[i].id});
  }
}

// A census is taken when nothing is on its way.
void ForwardChecks::CheckNothingLeft(const CensusRecord& census) {
  for (const auto* messages : {&census.active, &census.dead_letters}) {
    for (const SeenMessage& message : *messages) {
      violations_.push_back({Rule::kNothingLost,
                             fmt::format("at {} a message is still in '{}', which forwards",
                                         census.begin, book_.history().queues[census.queue].name),
                             message.id});
    }
  }
}

}  // namespace wharf::crash
