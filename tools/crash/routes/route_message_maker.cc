#include "tools/crash/routes/route_message_maker.h"

namespace wharf::crash {
namespace {

constexpr std::size_t kLargeBytes = 300 * 1024;

std::size_t DrawSize(Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 50) return 10;
  return lot < 80 ? 1024 : 20 * 1024;
}

}  // namespace

v1::Message RouteMessageMaker::Make(Dice& dice) { return Make(DrawSize(dice), dice); }

v1::Message RouteMessageMaker::MakeLarge(Dice& dice) { return Make(kLargeBytes, dice); }

v1::Message RouteMessageMaker::Make(std::size_t size, Dice& dice) {
  ++next_.counter;
  v1::Message message;
  message.set_message_id(ToString(next_));
  message.set_body(MakeBody(next_, size));
  SetProperties(dice.Chance(50), message);
  return message;
}

RoutedMessage Routed(Target target, const v1::Message& message) {
  return {.id = ParseMessageId(message.message_id()).value(),
          .body = DigestOf(message.body()),
          .routes = RoutesOf(target, message)};
}

}  // namespace wharf::crash
