#include "tools/crash/checks/duplicate_checks.h"

#include <set>
#include <utility>

#include <absl/strings/str_join.h>
#include <fmt/core.h>

namespace wharf::crash {

void DuplicateChecks::Report(Rule rule, const Story& story, std::string what) {
  violations_.push_back({rule, std::move(what), story.id});
}

void DuplicateChecks::Run() {
  for (const auto& [id, story] : book_.stories()) {
    if (story.send == nullptr || !book_.queue(story).drops_duplicates) continue;
    CheckStoredOnce(story);
    CheckNumbers(story);
  }
}

// Whoever sends it after it is known to be there hears that it is a duplicate; no run is as long
// as the window.
void DuplicateChecks::CheckStoredOnce(const Story& story) {
  for (const RepeatRecord* repeat : story.repeats) {
    if (!repeat->is_ok() || repeat->is_duplicate || repeat->begin < story.KnownSince()) continue;
    Report(Rule::kStoredOnce, story,
           fmt::format("stored again under number {}", repeat->sequence_number));
  }
}

// All that is ever said of it, and all that is ever seen, has one number; a redrive gives another
// one, which nobody hears of who sends it again.
void DuplicateChecks::CheckNumbers(const Story& story) {
  std::set<std::int64_t> numbers;
  if (story.sent->reply.answer == Answer::kOk) numbers.insert(story.sent->sequence_number);
  for (const RepeatRecord* repeat : story.repeats) {
    if (repeat->is_ok()) numbers.insert(repeat->sequence_number);
  }
  for (const Holding& holding : story.holdings) {
    if (holding.delivery->redrives == 0) numbers.insert(holding.delivery->sequence_number);
  }
  for (const Sighting& sighting : story.sightings) {
    if (sighting.message->redrives == 0) numbers.insert(sighting.message->sequence_number);
  }
  if (numbers.size() <= 1) return;
  Report(Rule::kStoredOnce, story,
         fmt::format("one message id has the numbers {}", absl::StrJoin(numbers, ", ")));
}

}  // namespace wharf::crash
