#include "tools/crash/load/fate.h"

namespace wharf::crash {

Fate DrawFate(const Source& source, Dice& dice) {
  const std::uint64_t lot = dice.Below(100);
  if (lot < 68) return Fate::kComplete;
  if (lot < 72) return source.lane == Lane::kMain ? Fate::kDefer : Fate::kComplete;
  if (lot < 76) return Fate::kAbandon;
  if (lot < 80) return Fate::kAbandonMarked;
  if (lot < 84) return source.lane == Lane::kMain ? Fate::kDeadLetter : Fate::kComplete;
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
    fates[DrawFate(delivery.source, dice)].push_back(delivery.token);
  }
  return fates;
}

}  // namespace wharf::crash
