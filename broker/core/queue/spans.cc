#include "broker/core/queue/spans.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "broker/core/order/partition.h"

namespace wharf {
namespace {

bool AreNear(const Span& lower, const Span& higher) {
  return PartitionOf(lower.last) == PartitionOf(higher.first) &&
         higher.first.value() - lower.last.value() - 1 <= MessageRun::kGapMax;
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
  if (!(is_lower ? AreNear(neighbour, joint.span) : AreNear(joint.span, neighbour))) return;
  Span united = Unite(joint.span, index, index + 1);
  if (united.exceptions.size() > kExtendedExceptionsMax) return;
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

bool Spans::HasRoomFor(const Joint& joint) const {
  const std::size_t left = spans_.size() - (joint.end - joint.begin);
  std::size_t exceptions = joint.span.exceptions.size();
  if (left >= kSpansMax || exceptions > kExceptionsMax) return false;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (i < joint.begin || i >= joint.end) exceptions += spans_[i].exceptions.size();
  }
  return exceptions <= kExceptionsInAllMax;
}

bool Spans::HasRoomFor(const MessageRun& run) const {
  return HasRoomFor(Join({run.first, run.last, {}, run.exceptions}));
}

Spans::Grown Spans::Add(const MessageRun& run, Timestamp now) {
  Joint joint = Join({run.first, run.last, now, run.exceptions});
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
