#include "storage/base/nearest_word.h"

#include <algorithm>
#include <cstddef>

namespace wharf {
namespace {

// Longer words are no names of ours; a bound for what is compared.
constexpr std::size_t kWordBytesMax = 64;

// Letters added, left out, taken for another or exchanged with their neighbour (optimal string
// alignment). Three rows of the usual table are enough.
std::size_t Distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> above(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t changed = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      const bool is_exchanged =
          i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kWordBytesMax) return std::nullopt;
  // A third of a word may be wrong, but never all of it.
  std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() == 1) nearest = 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const bool is_begun = word.size() > 1 && candidate.starts_with(word);
    const std::size_t distance = is_begun ? 1 : Distance(word, candidate);
    if (distance >= nearest) continue;
    nearest = distance;
    found = candidate;
  }
  return found;
}

}  // namespace wharf
