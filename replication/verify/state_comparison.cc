#include "replication/verify/state_comparison.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

// A range that differs is asked for again in pieces of a part of it, one that does not in more.
constexpr std::uint64_t kLess = 16;
constexpr std::uint64_t kMore = 2;

}  // namespace

StateComparison::StateComparison(const Options& options, std::vector<Member> members,
                                 Random& random)
    : options_(options), random_(random), bytes_(options.range_bytes) {
  progress_.members = std::move(members);
  progress_.is_under_way = true;
  if (compared() < 2) End("there is no other member to compare with");
}

std::optional<StateCheck> StateComparison::Next(Duration now, bool may_begin) {
  if (asked_ && now >= asked_->at + options_.answer_max) EndAttempt();
  if (!is_under_way() || asked_) return std::nullopt;
  if (!may_begin && !is_piece()) return std::nullopt;
  asked_.emplace(
      Asked{.check = {.id = random_.Next(), .bytes = bytes_, .begin = begin_}, .at = now});
  return asked_->check;
}

void StateComparison::OnAnswer(RaftId from, const StateCheckAnswer& answer) {
  Member* const member = Compared(from);
  if (!is_under_way() || !asked_ || answer.id != asked_->check.id || member == nullptr) return;
  asked_->index = answer.index;
  if (answer.digest) {
    asked_->digests.insert_or_assign(from, *answer.digest);
  } else {
    LeaveOut(*member, answer.trouble);
  }
  if (is_under_way() && asked_->digests.size() == compared()) Judge();
}

void StateComparison::End(std::string why) {
  if (!is_under_way()) return;
  progress_.is_under_way = false;
  progress_.trouble = std::move(why);
}

StateComparison::Member* StateComparison::Compared(RaftId node) {
  for (Member& member : progress_.members) {
    if (member.node == node && member.trouble.empty()) return &member;
  }
  return nullptr;
}

std::size_t StateComparison::compared() const {
  return static_cast<std::size_t>(
      std::count_if(progress_.members.begin(), progress_.members.end(),
                    [](const Member& member) { return member.trouble.empty(); }));
}

void StateComparison::LeaveOut(Member& member, std::string why) {
  member.trouble = std::move(why);
  asked_->digests.erase(member.node);
  if (compared() < 2) End("fewer than two members could be compared");
}

void StateComparison::EndAttempt() {
  if (++attempts_ >= options_.attempts) return LeaveOutTheSilent();
  asked_.reset();
}

void StateComparison::LeaveOutTheSilent() {
  for (Member& member : progress_.members) {
    const bool is_silent = member.trouble.empty() && !asked_->digests.contains(member.node);
    if (is_silent) LeaveOut(member, "it did not answer in time");
  }
  if (is_under_way()) Judge();
}

void StateComparison::Judge() {
  const RangeDigest& first = asked_->digests.begin()->second;
  attempts_ = 0;
  progress_.index = asked_->index;
  const bool is_equal = std::all_of(asked_->digests.begin(), asked_->digests.end(),
                                    [&first](const auto& each) { return each.second == first; });
  if (is_equal) {
    GoOn(first);
  } else if (bytes_ == 1) {
    NoteDifference();
  } else {
    bytes_ = std::max<std::uint64_t>(bytes_ / kLess, 1);
  }
  asked_.reset();
}

void StateComparison::GoOn(const RangeDigest& range) {
  progress_.rows += range.rows;
  progress_.bytes += range.bytes;
  bytes_ = std::min(bytes_ * kMore, options_.range_bytes);
  if (range.end) {
    begin_ = *range.end;
  } else {
    progress_.is_under_way = false;
  }
}

// Of all members, also those that were not compared: what those have nobody knows.
void StateComparison::NoteDifference() {
  Difference difference{.index = asked_->index};
  std::optional<RowPlace> row;
  const RangeDigest* majority = nullptr;
  for (const auto& [node, digest] : asked_->digests) {
    if (digest.first && (!row || *digest.first < *row)) row = digest.first;
    const auto equal = std::count_if(asked_->digests.begin(), asked_->digests.end(),
                                     [&](const auto& each) { return each.second == digest; });
    if (static_cast<std::size_t>(equal) * 2 > progress_.members.size()) majority = &digest;
  }
  difference.row = row.value_or(begin_);
  difference.has_majority = majority != nullptr;
  for (const auto& [node, digest] : asked_->digests) {
    if (majority == nullptr || digest != *majority) difference.nodes.push_back(node);
  }
  progress_.difference = std::move(difference);
  progress_.is_under_way = false;
}

}  // namespace wharf
