// WordSalad: texts that look like filters and actions, for tests that throw many at the parser; and
// what such a test does with one.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace wharf {

class WordSalad {
 public:
  explicit WordSalad(std::uint64_t seed) : generator_(seed) {}

  // Words of the language in any order; most are no filter.
  std::string Words();
  // A filter that follows the grammar.
  std::string Filter();
  // `text` with some bytes changed, dropped, doubled or swapped.
  std::string Damaged(std::string text);

 private:
  std::uint64_t Below(std::uint64_t end) { return generator_() % end; }
  std::string Predicate(int depth);
  std::string Expression(int depth);

  std::mt19937_64 generator_;
};

// Compiles `text` as a filter and as an action; what is accepted is evaluated on two messages and
// applied to one. Stops the program if anything but a result or a clean error comes of it. Returns
// whether it was a filter.
bool TryText(const std::string& text);

}  // namespace wharf
