#include "tools/crash/routes/route_ledger.h"

#include <algorithm>

#include <absl/strings/str_join.h>
#include <fmt/core.h>

namespace wharf::crash {
namespace {

std::string NamesOf(const std::vector<Place>& places) {
  return absl::StrJoin(places, " and ",
                       [](std::string* text, Place place) { *text += "'" + NameOf(place) + "'"; });
}

std::string_view TextOf(Fate fate) {
  if (fate == Fate::kUnknown) return "without an answer";
  return fate == Fate::kDone ? "stored" : "not stored";
}

}  // namespace

Fate FateOf(const Status& status) {
  if (status.ok()) return Fate::kDone;
  return status.outcome() == Outcome::kUnknown ? Fate::kUnknown : Fate::kNotDone;
}

RouteLedger::SendingIndex RouteLedger::NoteSending(const std::vector<RoutedMessage>& messages) {
  MutexLock lock(mutex_);
  const SendingIndex index = sendings_.size();
  Sending& sending = sendings_.emplace_back();
  for (const RoutedMessage& message : messages) {
    ++totals_.messages;
    for (const Route& route : message.routes) {
      for (const Place place : route.places) {
        copies_.emplace(std::pair(message.id, place), CopyIndex{index, sending.copies.size()});
      }
      sending.copies.push_back({.id = message.id, .body = message.body, .route = route});
    }
  }
  return index;
}

void RouteLedger::NoteSent(SendingIndex index, Fate fate) {
  MutexLock lock(mutex_);
  Sending& sending = sendings_[index];
  if (fate == Fate::kUnknown) {
    ++totals_.unknown;
    return;
  }
  ++(fate == Fate::kDone ? totals_.acknowledged : totals_.refused);
  if (fate == Fate::kNotDone && sending.fate == Fate::kDone) {
    Add(Rule::kAnswersHold, sending, sending.copies.front(), "was refused, and is there");
  }
  sending.fate = fate;
}

void RouteLedger::NoteDelivered(Place place, const SeenCopy& seen) {
  MutexLock lock(mutex_);
  const CopyIndex* index = Find(place, seen.id);
  if (!IsAsSent(index, place, seen)) return;
  Sending& sending = sendings_[index->sending];
  Copy& copy = At(*index);
  if (sending.fate == Fate::kNotDone) {
    Add(Rule::kNoGhost, sending, copy,
        fmt::format("was delivered from '{}', and never stored", NameOf(place)));
  } else if (copy.gone == Gone::kYes) {
    Add(Rule::kNoResurrection, sending, copy,
        fmt::format("was delivered from '{}' after it had gone", NameOf(place)));
  } else if (place != copy.route.rest) {
    Add(Rule::kNoResurrection, sending, copy,
        fmt::format("was delivered from '{}', and had moved to '{}'", NameOf(place),
                    NameOf(copy.route.rest)));
  }
  sending.fate = Fate::kDone;
  copy.gone = Gone::kNo;
}

void RouteLedger::NoteCompleting(Place place, const MessageId& id) {
  MutexLock lock(mutex_);
  const CopyIndex* index = Find(place, id);
  if (index != nullptr) At(*index).gone = Gone::kMaybe;
}

void RouteLedger::NoteCompleted(Place place, const MessageId& id, Fate fate) {
  MutexLock lock(mutex_);
  const CopyIndex* index = Find(place, id);
  if (index == nullptr) return;
  if (fate == Fate::kUnknown) {
    ++totals_.completed_unknown;
    return;
  }
  if (fate == Fate::kDone) ++totals_.completed;
  At(*index).gone = fate == Fate::kDone ? Gone::kYes : Gone::kNo;
}

void RouteLedger::NoteMoved(const MessageId& id) {
  MutexLock lock(mutex_);
  const CopyIndex* index = Find(Place::kFrom, id);
  if (index == nullptr) return;
  Route& route = At(*index).route;
  if (route.rest == route.places.back()) return;
  route.rest = route.places.back();
  ++totals_.moved;
}

void RouteLedger::NoteEmptied(Place place) {
  MutexLock lock(mutex_);
  for (Sending& sending : sendings_) {
    if (sending.fate != Fate::kDone) continue;
    for (Copy& copy : sending.copies) {
      if (copy.route.rest == place) copy.gone = Gone::kYes;
    }
  }
}

void RouteLedger::Report(Violation violation) {
  MutexLock lock(mutex_);
  violations_.push_back(std::move(violation));
}

void RouteLedger::CheckUnderWay(const Inventory& inventory) {
  MutexLock lock(mutex_);
  Spread(inventory);
  for (Sending& sending : sendings_) {
    for (Copy& copy : sending.copies) {
      if (copy.seen_in.size() > 1) {
        Add(Rule::kOnePlace, sending, copy, "is in " + NamesOf(copy.seen_in) + " at once");
      }
      copy.seen_in.clear();
    }
  }
}

void RouteLedger::CheckAtRest(const Inventory& inventory) {
  MutexLock lock(mutex_);
  Spread(inventory);
  for (Sending& sending : sendings_) Judge(sending);
}

Violations RouteLedger::TakeViolations() {
  MutexLock lock(mutex_);
  return std::exchange(violations_, {});
}

RouteLedger::Totals RouteLedger::totals() {
  MutexLock lock(mutex_);
  return totals_;
}

const RouteLedger::CopyIndex* RouteLedger::Find(Place place, const MessageId& id) const {
  const auto found = copies_.find({id, place});
  return found == copies_.end() ? nullptr : &found->second;
}

void RouteLedger::Spread(const Inventory& inventory) {
  for (const auto& [place, copies] : inventory) {
    for (const SeenCopy& seen : copies) {
      ++totals_.copies_seen;
      const CopyIndex* index = Find(place, seen.id);
      if (IsAsSent(index, place, seen)) At(*index).seen_in.push_back(place);
    }
  }
}

bool RouteLedger::IsAsSent(const CopyIndex* index, Place place, const SeenCopy& seen) {
  if (index == nullptr) {
    violations_.push_back({.rule = Rule::kNoGhost,
                           .what = fmt::format("in '{}' is what nobody sent there", NameOf(place)),
                           .message = seen.id});
    return false;
  }
  if (At(*index).body == seen.body) return true;
  Add(Rule::kNoGhost, sendings_[index->sending], At(*index),
      fmt::format("has another body in '{}'", NameOf(place)));
  return false;
}

// What had no answer is decided by the first look.
void RouteLedger::Judge(Sending& sending) {
  const bool was_unknown = sending.fate == Fate::kUnknown;
  if (was_unknown) {
    const bool is_there = std::any_of(sending.copies.begin(), sending.copies.end(),
                                      [](const Copy& copy) { return !copy.seen_in.empty(); });
    sending.fate = is_there ? Fate::kDone : Fate::kNotDone;
    if (is_there) ++totals_.unknown_stored;
  }
  for (const Copy& copy : sending.copies) JudgeCopy(sending, copy, was_unknown);
  for (Copy& copy : sending.copies) {
    if (copy.gone == Gone::kMaybe) copy.gone = copy.seen_in.empty() ? Gone::kYes : Gone::kNo;
    copy.seen_in.clear();
  }
}

void RouteLedger::JudgeCopy(const Sending& sending, const Copy& copy, bool was_unknown) {
  const bool must_be_there = sending.fate == Fate::kDone && copy.gone == Gone::kNo;
  if (copy.seen_in.empty()) {
    if (!must_be_there) return;
    const std::string what = "is missing in '" + NameOf(copy.route.rest) + "'";
    return Add(was_unknown ? Rule::kAllOrNone : Rule::kNothingLost, sending, copy, what);
  }
  if (sending.fate == Fate::kNotDone) {
    Add(Rule::kNoGhost, sending, copy, "was never stored, and is in " + NamesOf(copy.seen_in));
  } else if (copy.gone == Gone::kYes) {
    Add(Rule::kNoResurrection, sending, copy, "had gone, and is in " + NamesOf(copy.seen_in));
  } else if (copy.seen_in.size() > 1) {
    Add(Rule::kOnePlace, sending, copy, "is in " + NamesOf(copy.seen_in));
  } else if (copy.seen_in.front() != copy.route.rest) {
    Add(Rule::kAllOrNone, sending, copy,
        "is in " + NamesOf(copy.seen_in) + ", and not in '" + NameOf(copy.route.rest) + "'");
  }
}

void RouteLedger::Add(Rule rule, const Sending& sending, const Copy& copy,
                      const std::string& what) {
  std::string story =
      fmt::format("    sent with {} copies: {}\n", sending.copies.size(), TextOf(sending.fate));
  for (const Copy& each : sending.copies) {
    const std::string_view gone = each.gone == Gone::kNo      ? ""
                                  : each.gone == Gone::kMaybe ? ", perhaps completed"
                                                              : ", completed or purged";
    story += fmt::format("    {} for '{}', {} bytes{}: {}\n", ToString(each.id),
                         NameOf(each.route.rest), each.body.size, gone,
                         each.seen_in.empty() ? "not seen" : "in " + NamesOf(each.seen_in));
  }
  violations_.push_back(
      {.rule = rule, .what = what, .message = copy.id, .story = std::move(story)});
}

}  // namespace wharf::crash
