// Random files of definitions: whatever is in them, they are definitions that can be applied twice,
// or one sentence with a place (any_definitions_file.h). WHARF_DEFINITIONS_ROUNDS and WHARF_SEED
// make it longer or begin it elsewhere.

#include <random>
#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/from_environment.h"
#include "tests/seed_note.h"
#include "tests/tools/any_definitions_file.h"

namespace wharf::tool {
namespace {

constexpr std::string_view kExample = R"({"format_version": 1,
 "access_rules": [{"name": "ops", "rights": ["Manage"]}],
 "queues": [
  {"name": "a", "forward_to": "b", "lock_duration": 30, "user_metadata": "x"},
  {"name": "b", "requires_session": true, "forward_dead_lettered_messages_to": "a",
   "retry_policy": {"backoff": "linear", "base": 0.5, "cap": "1m", "jitter": 0.1},
   "access_rules": [{"name": "shop", "rights": ["Send", "Listen"]}]}],
 "topics": [{"name": "t", "auto_delete_on_idle": "1d", "subscriptions": [
   {"name": "s", "forward_to": "a", "rules": [
     {"name": "r", "filter": {"kind": "sql", "text": "a = @b", "parameters": {"b": 1}},
      "action": {"text": "SET c = 1"}},
     {"name": "c", "filter": {"kind": "correlation", "subject": "x",
      "application_properties": {"n": {"type": "int32", "value": 5}}}}]},
   {"name": "u", "rules": []}]}]})";

constexpr std::string_view kPieces[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ":",
                                        ",",
                                        "\"",
                                        "\\",
                                        "\\u00e4",
                                        "\\ud800",
                                        "\xff",
                                        "\xc3",
                                        "\n",
                                        "0",
                                        "-1",
                                        "1e400",
                                        "1.5",
                                        "null",
                                        "true",
                                        "\"name\": \"a\",",
                                        "\"status\": \"disabled\",",
                                        "\"kind\"",
                                        "[[[[",
                                        "\xef\xbb\xbf",
                                        "9223372036854775808",
                                        "\"rules\": [],",
                                        "\"topics\"",
                                        "b",
                                        "a",
                                        "t",
                                        std::string_view("\0", 1),
                                        "\"forward_to\": \"t\","};

class RandomFile {
 public:
  explicit RandomFile(std::uint64_t seed) : dice_(seed) {}

  std::string Make() {
    std::string text(kExample);
    const std::size_t mutations = Below(4);
    for (std::size_t i = 0; i < mutations; ++i) Mutate(text);
    return text;
  }

 private:
  std::size_t Below(std::size_t end) { return end == 0 ? 0 : dice_() % end; }

  void Mutate(std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    switch (Below(7)) {
      case 0:
        return text.resize(at);
      case 1:
        text.erase(at, Below(20));
        return;
      case 2:
        text.insert(at, text.substr(Below(text.size() + 1), Below(60)));
        return;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        return;
      case 4: {
        // A value for another one: most stay JSON.
        const std::size_t quote = text.find('"', at);
        if (quote != std::string::npos) text.insert(quote + 1, kPieces[Below(std::size(kPieces))]);
        return;
      }
      default:
        text.insert(at, kPieces[Below(std::size(kPieces))]);
    }
  }

  std::mt19937_64 dice_;
};

TEST(DefinitionsRandomTest, AFileIsDefinitionsOrASentenceWithAPlace) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_DEFINITIONS_ROUNDS", 5000);
  std::uint64_t good = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note(fmt::format("WHARF_SEED={} WHARF_DEFINITIONS_ROUNDS=1", seed));

    if (TryAnyDefinitionsFile(RandomFile(seed).Make())) ++good;
  }
  // Both are met.
  if (rounds < 1000) return;
  EXPECT_GT(good, rounds / 20);
  EXPECT_LT(good, rounds - rounds / 20);
}

}  // namespace
}  // namespace wharf::tool
