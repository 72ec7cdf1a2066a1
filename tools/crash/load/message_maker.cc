#include "tools/crash/load/message_maker.h"

#include "tools/crash/history/body.h"

namespace wharf::crash {
namespace {

std::size_t DrawSize(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 10) return 0;
  if (lot < 75) return dice.Between(1, 512);
  if (lot < 94) return dice.Between(513, 8 * 1024);
  if (lot < 99) return dice.Between(8 * 1024, 64 * 1024);
  return dice.Between(64 * 1024, 300 * 1024);
}

}  // namespace

v1::Message MessageMaker::Make(Dice& dice) {
  ++next_.counter;
  v1::Message message;
  message.set_message_id(ToString(next_));
  message.set_body(MakeBody(next_, DrawSize(dice)));
  return message;
}

}  // namespace wharf::crash
