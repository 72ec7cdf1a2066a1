#include "broker/reading/row_walk.h"

namespace wharf {

Result<std::optional<SequenceNumber>> RowWalk::Next() {
  if (HasMetDamage(*rows_) && at_ < kNumberEnd) {
    damage_begin_ = at_;
    damage_end_ = at_ = PassDamage(*rows_, key_of_, at_, kNumberEnd);
  }
  if (!rows_->valid()) {
    const Status status = rows_->status();
    if (!status.ok() && !status.is_damage()) return status;
    return std::optional<SequenceNumber>();
  }
  const auto number = number_of_(rows_->key());
  if (!number) return DamagedKey();
  return std::optional(*number);
}

// In damage a row may stand in another file, or in memory.
Result<std::optional<std::string>> RowWalk::Take(SequenceNumber number) {
  if (damage_begin_ <= number && number < damage_end_) {
    return view_.Get(IdOf(table_), key_of_(number));
  }
  if (!rows_->valid() || number_of_(rows_->key()) != number) return std::optional<std::string>();
  std::string value(rows_->value());
  at_ = number.Next();
  rows_->Next();
  return std::optional(std::move(value));
}

}  // namespace wharf
