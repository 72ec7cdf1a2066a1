#include "broker/engine/background/due_rest.h"

#include <algorithm>
#include <tuple>

#include "broker/core/changes/shared_hint_row.h"

namespace wharf {

bool IsBefore(const DueHint& one, const DueHint& other) {
  const auto place_of = [](const DueHint& hint) {
    return std::tuple(hint.time, hint.kind, hint.lane.entity, hint.lane.generation, hint.lane.kind,
                      hint.number);
  };
  return place_of(one) < place_of(other);
}

DueRest::DueRest(const DueBatch* batch)
    : batch_(batch), left_of_shared_(batch == nullptr ? 0 : batch->shared.size()) {}

void DueRest::NoteLeft(const DueHint& hint) {
  if (!first_left_ || IsBefore(hint, *first_left_)) first_left_ = hint;
}

void DueRest::Leave(const DueMessage& due) {
  if (!due.shared) return NoteLeft(due.hint);
  LeaveOfShared(*due.shared, due.hint.number);
}

void DueRest::LeaveOfShared(std::size_t index, SequenceNumber number) {
  std::optional<SequenceNumber>& left = left_of_shared_[index];
  left = left ? std::min(*left, number) : number;
}

// Of a lane that is gone there is nothing to come for.
std::optional<SharedHint> DueRest::LeftOf(std::size_t index, Catalog& catalog) const {
  const DueShared& each = batch_->shared[index];
  if (catalog.FindShelf(each.shared.hint.lane) == nullptr) return std::nullopt;
  if (!left_of_shared_[index]) return each.rest;
  SharedHint left = each.shared;
  left.hint.number = *left_of_shared_[index];
  return left;
}

// The hints of what is fenced stay as they are.
std::optional<DueHint> DueRest::Finish(Catalog& catalog, Timestamp now, Changes& changes) {
  for (std::size_t i = 0; i < left_of_shared_.size(); ++i) {
    const SharedHint& shared = batch_->shared[i].shared;
    if (catalog.IsFenced(shared.hint.lane.entity)) continue;
    const std::optional<SharedHint> left = LeftOf(i, catalog);
    const DueHint row = RowOf(shared);
    if (!left || RowOf(*left) != row) changes.push_back(DueHintDropped{row});
    if (left && left != shared) changes.push_back(HintShared{*left});
    if (left && left->hint.time <= now) NoteLeft(RowOf(*left));
  }
  return first_left_;
}

}  // namespace wharf
