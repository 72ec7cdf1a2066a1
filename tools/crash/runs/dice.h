// Dice: chance for the load and for the moments of a kill; the same throws for the same seed.
//
// Used by its owner's thread only.
#pragma once

#include <cstdint>
#include <random>

namespace wharf::crash {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}

  // A number below `bound`, which is not zero.
  std::uint64_t Below(std::uint64_t bound) { return generator_() % bound; }
  // A number from `first` to `last`.
  std::uint64_t Between(std::uint64_t first, std::uint64_t last) {
    return first + Below(last - first + 1);
  }
  bool Chance(std::uint64_t percent) { return Below(100) < percent; }
  // Dice of their own for someone else.
  Dice Split() { return Dice(generator_()); }

 private:
  std::mt19937_64 generator_;
};

}  // namespace wharf::crash
