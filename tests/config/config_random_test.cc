// Random files: whatever is in them, they are settings that are allowed, or complaints with lines
// (any_config_file.h).
// WHARF_CONFIG_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.

#include <random>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "broker/config/keys.h"
#include "broker/config/pages.h"
#include "tests/config/any_config_file.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::config {
namespace {

// What TOML and we take as a sign; and what breaks lines, strings and numbers.
constexpr std::string_view kPieces[] = {
    "=",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "#",
    ".",
    ",",
    "\n",
    "\\",
    "\\u00e4",
    "\xff",
    "\xc3",
    std::string_view("\0", 1),
    "-",
    "_",
    "0",
    "1e400",
    "nan",
    "true",
    "0x7f",
    "[[",
    "]]",
    "MiB",
    "64TiB",
    "1h",
    "\r\n",
    "\t",
    "\x7f",
    "2026-11-23",
    "9223372036854775808",
    "18446744073709551615B",
    "log-level",
    "data",
    "max-entities = ",
    "clock = \"manual\"\n",
    "\xef\xbb\xbf",
};

class RandomFile {
 public:
  explicit RandomFile(std::uint64_t seed) : dice_(seed) {}

  std::string Make() {
    static const std::string example = ExamplePage();
    std::string text = Uncommented(example);
    const std::size_t mutations = Below(8);
    for (std::size_t i = 0; i < mutations; ++i) Mutate(text);
    return text;
  }

 private:
  std::size_t Below(std::size_t end) { return end == 0 ? 0 : dice_() % end; }

  // Some keys of the example come into force.
  std::string Uncommented(std::string text) {
    for (const Key& key : Keys()) {
      const std::string commented = fmt::format("# {} = ", key.name);
      const std::size_t at = text.find(commented);
      if (at != std::string::npos && Below(2) == 0) text.erase(at, 2);
    }
    return text;
  }

  void Mutate(std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    switch (Below(6)) {
      case 0:
        return text.resize(at);
      case 1:
        text.erase(at, Below(40));
        return;
      case 2:
        text.insert(at, text.substr(Below(text.size() + 1), Below(60)));
        return;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        return;
      default:
        text.insert(at, kPieces[Below(std::size(kPieces))]);
    }
  }

  std::mt19937_64 dice_;
};

TEST(ConfigRandomTest, AFileIsSettingsOrComplaintsWithLines) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_CONFIG_ROUNDS", 5000);
  std::uint64_t good = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={} WHARF_CONFIG_ROUNDS=1", seed));
    const std::string text = RandomFile(seed).Make();

    if (TryAnyConfigFile(text)) ++good;
  }
  // Both are met.
  if (rounds < 1000) return;
  EXPECT_GT(good, rounds / 20);
  EXPECT_LT(good, rounds - rounds / 20);
}

}  // namespace
}  // namespace wharf::config
