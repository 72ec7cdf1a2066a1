// Config.json files that are changed at random places: each is read, or refused with a place.
// WHARF_CONFIG_JSON_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/emulator/any_config_json.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::emulator {
namespace {

constexpr std::string_view kPieces[] = {
    "{",         "}",     "[",           "]",         "\"",        ",",
    ":",         "null",  "true",        "-1",        "1e99",      "PT1S",
    "P9999999Y", "\"\"",  "queue.1",     "topic.1",   "\\u0",      "\xFF",
    "//",        "Rules", "\"Name\":1,", "ForwardTo", "\xC3\xA4/", "99999999999999999999"};

TEST(AnyConfigJsonTest, IsReadOrRefused) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_CONFIG_JSON_ROUNDS", 3000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed) + " WHARF_CONFIG_JSON_ROUNDS=1");
    std::mt19937_64 random(seed);
    std::string text = Example();
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      const std::string_view piece = kPieces[random() % std::size(kPieces)];
      text.replace(random() % text.size(), random() % 12, piece);
    }
    ReadAnyConfigJson(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}

}  // namespace
}  // namespace wharf::emulator
