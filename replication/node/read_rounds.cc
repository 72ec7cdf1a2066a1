#include "replication/node/read_rounds.h"

namespace wharf {
namespace {

std::string ContextOf(ReadRound round) { return std::to_string(round.value()); }

}  // namespace

ReadRound ReadRounds::Request() {
  requested_ = begun_.Next();
  return requested_;
}

std::optional<std::string> ReadRounds::Begin() {
  if (!is_next_due()) return std::nullopt;
  begun_ = requested_;
  is_under_way_ = true;
  return ContextOf(begun_);
}

void ReadRounds::OnReadable(std::string_view context, std::uint64_t index) {
  if (!is_under_way_ || context != ContextOf(begun_)) return;
  is_under_way_ = false;
  confirmed_.push_back({begun_, index});
}

std::optional<ReadRound> ReadRounds::TakeReadable(std::uint64_t applied) {
  std::optional<ReadRound> last;
  while (!confirmed_.empty() && confirmed_.front().index <= applied) {
    last = confirmed_.front().round;
    confirmed_.pop_front();
  }
  return last;
}

void ReadRounds::Abandon() {
  requested_ = begun_;
  is_under_way_ = false;
  confirmed_.clear();
}

}  // namespace wharf
