#include "tools/crash/load/receiving/fate.h"

namespace wharf::crash {
namespace {

constexpr std::uint64_t kDelayMillisecondsMax = 1500;

}  // namespace

Fate DrawFate(const DeliveryRecord& delivery, Dice& dice) {
  const bool is_main = delivery.source.lane == Lane::kMain;
  const std::uint64_t lot = dice.Below(100);
  if (lot < 68) return Fate::kComplete;
  if (lot < 72) return is_main ? Fate::kDefer : Fate::kComplete;
  if (lot < 74) return Fate::kAbandon;
  // What was deferred is so again at once.
  if (lot < 77) return delivery.is_by_number ? Fate::kAbandon : Fate::kDelay;
  if (lot < 80) return Fate::kAbandonMarked;
  if (lot < 84) return is_main ? Fate::kDeadLetter : Fate::kComplete;
  if (lot < 88) return Fate::kRelease;
  if (lot < 92) return Fate::kRenew;
  return lot < 98 ? Fate::kHold : Fate::kForget;
}

Settling SettlingFor(Fate fate, Dice& dice) {
  const auto mark = static_cast<std::int64_t>(dice.Between(1, 1'000'000));
  switch (fate) {
    case Fate::kAbandon:
      return {.verb = Verb::kAbandon};
    case Fate::kAbandonMarked:
      return {.verb = Verb::kAbandon, .mark = mark};
    case Fate::kDelay:
      return {.verb = Verb::kAbandon,
              .mark = dice.Chance(30) ? mark : 0,
              .delay = std::chrono::milliseconds(dice.Between(1, kDelayMillisecondsMax))};
    case Fate::kDeadLetter:
      return {.verb = Verb::kDeadLetter, .mark = dice.Chance(50) ? mark : 0};
    case Fate::kDefer:
      return {.verb = Verb::kDefer, .mark = dice.Chance(50) ? mark : 0};
    case Fate::kRelease:
      return {.verb = Verb::kRelease};
    default:
      return {.verb = Verb::kComplete};
  }
}

std::map<Fate, std::vector<std::string>> DrawFates(const std::vector<DeliveryRecord>& deliveries,
                                                   Dice& dice) {
  std::map<Fate, std::vector<std::string>> fates;
  for (const DeliveryRecord& delivery : deliveries) {
    fates[DrawFate(delivery, dice)].push_back(delivery.token);
  }
  return fates;
}

}  // namespace wharf::crash
