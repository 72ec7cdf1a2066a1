#include "tools/crash/checks/session_state_checks.h"

#include <algorithm>

#include <fmt/core.h>

namespace wharf::crash {

SessionStateChecks::SessionStateChecks(const Storybook& book, Violations& violations)
    : book_(book), violations_(violations) {
  for (const auto& [session, locks] : book.session_locks().by_session()) {
    States& states = states_[session];
    for (const SessionLock* lock : locks) {
      for (const SessionUseRecord* use : lock->uses) {
        if (use->verb == SessionVerb::kSetState) states.sets.push_back(use);
        if (use->verb == SessionVerb::kGetState && use->is_ok()) states.reads.push_back(use);
      }
    }
  }
  for (const auto& [id, story] : book.stories()) {
    for (const Holding& holding : story.holdings) stories_[holding.delivery->token] = &story;
  }
}

void SessionStateChecks::Run() {
  for (const auto& [session, states] : states_) {
    for (const SessionUseRecord* read : states.reads) CheckRead(session.second, states, *read);
    for (const SessionUseRecord* set : states.sets) {
      if (set->is_unknown()) CheckTogether(session.second, states, *set);
    }
  }
}

// The states of a session rise: who sets one holds its lock, and draws a number above all before.
void SessionStateChecks::CheckRead(const std::string& session, const States& states,
                                   const SessionUseRecord& read) {
  std::int64_t least = 0;
  bool was_set = read.state == 0;
  for (const SessionUseRecord* set : states.sets) {
    if (set->is_ok() && set->end < read.begin) least = std::max(least, set->state);
    if (set->state == read.state && set->begin < read.end) was_set = !set->is_refused();
  }
  for (const SessionUseRecord* other : states.reads) {
    if (other->end < read.begin) least = std::max(least, other->state);
  }
  if (!was_set) {
    violations_.push_back({Rule::kNoGhost, fmt::format("at {} session '{}' has state {}, which was "
                                                       "never set",
                                                       read.begin, session, read.state)});
  } else if (read.state < least) {
    violations_.push_back(
        {Rule::kAnswersHold, fmt::format("at {} session '{}' has state {} after {}", read.begin,
                                         session, read.state, least)});
  }
}

void SessionStateChecks::CheckTogether(const std::string& session, const States& states,
                                       const SessionUseRecord& set) {
  const bool is_set =
      std::any_of(states.reads.begin(), states.reads.end(),
                  [&](const SessionUseRecord* read) { return read->state == set.state; });
  const bool is_not_set =
      std::any_of(states.reads.begin(), states.reads.end(), [&](const SessionUseRecord* read) {
        return read->begin > set.end && read->state < set.state;
      });
  const auto report = [&](std::string_view token, std::string_view what) {
    violations_.push_back({Rule::kAnswersHold,
                           fmt::format("state {} of session '{}' {}", set.state, session, what),
                           stories_.at(token)->id});
  };
  bool is_any_there = false;
  bool is_any_gone = false;
  for (const std::string& token : set.completes) {
    if (!stories_.contains(token)) continue;
    const bool is_there = IsThereAfter(set, token);
    const bool is_gone = IsGoneBy(set, token);
    if (is_set && is_there) report(token, "was set without a complete of the same request");
    if (is_not_set && is_gone) report(token, "was not set, but a complete of the same request");
    is_any_there = is_any_there || is_there;
    is_any_gone = is_any_gone || is_gone;
  }
  if (is_any_there && is_any_gone) {
    report(set.completes.front(), "came with some completes of the same request, but not all");
  }
}

bool SessionStateChecks::IsThereAfter(const SessionUseRecord& set, std::string_view token) const {
  const Story& story = *stories_.at(token);
  return std::any_of(story.signs.begin(), story.signs.end(),
                     [&](const Sign& sign) { return sign.begin > set.end; });
}

bool SessionStateChecks::IsGoneBy(const SessionUseRecord& set, std::string_view token) const {
  const Story& story = *stories_.at(token);
  for (const CensusRecord& census : book_.history().censuses) {
    if (census.queue != set.queue || census.begin < set.end) continue;
    for (const Holding& holding : story.holdings) {
      for (const SettleRecord* settle : holding.settles) {
        const bool may_take = settle->verb == Verb::kComplete && !settle->is_refused();
        if (may_take && settle->begin != set.begin && settle->begin < census.end) return false;
      }
    }
    const auto is_it = [&](const SeenMessage& seen) { return seen.id == story.id; };
    return std::none_of(census.active.begin(), census.active.end(), is_it) &&
           std::none_of(census.dead_letters.begin(), census.dead_letters.end(), is_it);
  }
  return false;
}

}  // namespace wharf::crash
