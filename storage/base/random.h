// Random: where chance comes from, so that tests can take it away.
#pragma once

#include <cstdint>
#include <random>

#include "absl/random/random.h"

namespace wharf {

// Used by its owner's thread only.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t Next() = 0;
};

class SystemRandom final : public Random {
 public:
  std::uint64_t Next() override { return absl::Uniform<std::uint64_t>(generator_); }

 private:
  absl::BitGen generator_;  // Seeded by the operating system; its output cannot be guessed from
                            // earlier output.
};

// The same numbers for the same seed.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : generator_(seed) {}
  std::uint64_t Next() override { return generator_(); }

 private:
  std::mt19937_64 generator_;
};

}  // namespace wharf
