#include "broker/core/queue/spans.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

bool AreNear(const Span& lower, const Span& higher, std::uint64_t gap_max) {
  return PartitionOf(lower.last) == PartitionOf(higher.first) &&
         higher.first.value() - lower.last.value() - 1 <= gap_max;
}

// The numbers between spans, which may overlap, and their exceptions; ascending.
std::vector<SequenceNumber> CandidatesOf(std::vector<const Span*> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span* one, const Span* other) { return one->first < other->first; });
  std::vector<SequenceNumber> candidates;
  SequenceNumber end = spans.front()->first;
  for (const Span* span : spans) {
    for (; end < span->first; end = end.Next()) candidates.push_back(end);
    end = std::max(end, span->last.Next());
    candidates.insert(candidates.end(), span->exceptions.begin(), span->exceptions.end());
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

}  // namespace

bool Spans::are_disjoint() const {
  return std::adjacent_find(spans_.begin(), spans_.end(), [](const Span& one, const Span& next) {
           return one.last >= next.first;
         }) == spans_.end();
}

bool Spans::Covers(SequenceNumber number) const {
  const auto found = std::partition_point(
      spans_.begin(), spans_.end(), [number](const Span& span) { return span.last < number; });
  return found != spans_.end() && found->Covers(number);
}

bool Spans::Meet(const Span& other) const {
  auto span = std::partition_point(spans_.begin(), spans_.end(),
                                   [&](const Span& each) { return each.last < other.first; });
  for (; span != spans_.end() && span->first <= other.last; ++span) {
    if (span->Meets(other)) return true;
  }
  return false;
}

Span Spans::Unite(const Span& one, std::size_t begin, std::size_t end) const {
  Span united = one;
  std::vector<const Span*> members{&one};
  for (std::size_t i = begin; i < end; ++i) {
    const Span& other = spans_[i];
    members.push_back(&other);
    united.first = std::min(united.first, other.first);
    united.last = std::max(united.last, other.last);
    united.as_of = std::max(united.as_of, other.as_of);
  }
  united.exceptions = CandidatesOf(std::move(members));
  std::erase_if(united.exceptions,
                [&](SequenceNumber number) { return one.Covers(number) || Covers(number); });
  return united;
}

void Spans::JoinNeighbour(Joint& joint, std::size_t index) const {
  const Span& neighbour = spans_[index];
  const bool is_lower = neighbour.last < joint.span.first;
  const Span& lower = is_lower ? neighbour : joint.span;
  const Span& higher = is_lower ? joint.span : neighbour;
  if (!AreNear(lower, higher, limits_.run.gap_max)) return;
  Span united = Unite(joint.span, index, index + 1);
  if (united.exceptions.size() > limits_.extended_exceptions_max) return;
  joint = {std::move(united), std::min(joint.begin, index), std::max(joint.end, index + 1)};
}

Spans::Joint Spans::Join(const Span& run) const {
  const auto first = std::partition_point(
      spans_.begin(), spans_.end(), [&run](const Span& span) { return span.last < run.first; });
  const auto last = std::partition_point(
      first, spans_.end(), [&run](const Span& span) { return span.first <= run.last; });
  const auto begin = static_cast<std::size_t>(first - spans_.begin());
  const auto end = static_cast<std::size_t>(last - spans_.begin());
  Joint joint{Unite(run, begin, end), begin, end};
  if (begin > 0) JoinNeighbour(joint, begin - 1);
  if (end < spans_.size()) JoinNeighbour(joint, end);
  return joint;
}

std::size_t Spans::CountExceptions() const {
  std::size_t exceptions = 0;
  for (const Span& span : spans_) exceptions += span.exceptions.size();
  return exceptions;
}

bool Spans::HasRoomFor(const Joint& joint) const {
  const std::size_t left = spans_.size() - (joint.end - joint.begin);
  if (left >= limits_.spans_max) return false;
  if (joint.span.exceptions.size() > limits_.run.exceptions_max) return false;
  std::size_t exceptions = CountExceptions() + joint.span.exceptions.size();
  for (std::size_t i = joint.begin; i < joint.end; ++i) exceptions -= spans_[i].exceptions.size();
  return exceptions <= limits_.exceptions_in_all_max;
}

bool Spans::HasRoomFor(const MessageRun& run) const { return HasRoomFor(Join(run.AsOf({}))); }

bool Spans::MayGrowBy(const MessageRun& run) const {
  if (spans_.empty()) return false;
  const Joint joint = Join(run.AsOf({}));
  return joint.begin < joint.end && joint.span.exceptions.size() <= limits_.extended_exceptions_max;
}

std::uint64_t Spans::CountDeletions(const Span& span, Deletion deletion) {
  const std::uint64_t exceptions = span.exceptions.size();
  if (deletion == Deletion::kInRanges) return exceptions + 1;
  return span.last.value() - span.first.value() + 1 - exceptions;
}

// The one that grew longest ago: it is the least likely to grow once more.
std::optional<std::size_t> Spans::Choose(std::size_t begin, std::size_t end,
                                         Deletion deletion) const {
  std::optional<std::size_t> chosen;
  for (std::size_t i = begin; i < end; ++i) {
    if (CountDeletions(spans_[i], deletion) > kDeletionsMax) continue;
    if (!chosen || spans_[i].as_of < spans_[*chosen].as_of) chosen = i;
  }
  return chosen;
}

Span Spans::Take(std::size_t index) {
  Span taken = std::move(spans_[index]);
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(index));
  return taken;
}

bool Spans::is_roomy() const {
  return spans_.size() <= limits_.spans_max - limits_.spans_max / 4 &&
         CountExceptions() <= limits_.exceptions_in_all_max - limits_.exceptions_in_all_max / 4;
}

// Of those that would become too large a one with the run, first.
std::vector<Span> Spans::MakeRoomFor(const MessageRun& run, Deletion deletion) {
  std::vector<Span> given_up;
  std::uint64_t deletions = 0;
  while (!spans_.empty()) {
    const Joint joint = Join(run.AsOf({}));
    const bool has_room = HasRoomFor(joint);
    if (has_room && (given_up.empty() || is_roomy() || deletions >= kDeletionsTogether)) break;
    const bool is_too_large = joint.span.exceptions.size() > limits_.run.exceptions_max;
    const auto chosen = is_too_large ? Choose(joint.begin, joint.end, deletion)
                                     : Choose(0, spans_.size(), deletion);
    if (!chosen) break;
    given_up.push_back(Take(*chosen));
    deletions += CountDeletions(given_up.back(), deletion);
  }
  return given_up;
}

Spans::Grown Spans::Add(const MessageRun& run, Timestamp now) {
  Joint joint = Join(run.AsOf(now));
  assert(HasRoomFor(joint));
  Grown grown{joint.span, {}};
  for (std::size_t i = joint.begin; i < joint.end; ++i) {
    if (spans_[i].first != grown.span.first) grown.absorbed.push_back(spans_[i].first);
  }
  const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(joint.begin);
  const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(joint.end);
  spans_.insert(spans_.erase(begin, end), std::move(joint.span));
  assert(are_disjoint());
  return grown;
}

}  // namespace wharf
