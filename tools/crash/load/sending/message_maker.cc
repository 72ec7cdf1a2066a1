#include "tools/crash/load/sending/message_maker.h"

#include "tools/crash/history/body.h"

namespace wharf::crash {
namespace {

constexpr std::size_t kSmallBytesMax = 1024;

std::size_t DrawSize(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 10) return 0;
  if (lot < 75) return dice.Between(1, 512);
  if (lot < 94) return dice.Between(513, 8 * 1024);
  if (lot < 99) return dice.Between(8 * 1024, 64 * 1024);
  return dice.Between(64 * 1024, 300 * 1024);
}

}  // namespace

v1::Message MessageMaker::Make(Dice& dice) { return MakeOf(DrawSize(dice)); }

v1::Message MessageMaker::MakeSmall(Dice& dice) { return MakeOf(dice.Below(kSmallBytesMax)); }

v1::Message MessageMaker::MakeOf(std::size_t bytes) {
  ++next_.counter;
  v1::Message message;
  message.set_message_id(ToString(next_));
  message.set_body(MakeBody(next_, bytes));
  return message;
}

}  // namespace wharf::crash
