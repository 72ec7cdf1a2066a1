// Random texts: whatever they are, they are tokens, connection strings or clean errors.
// WHARF_TOKEN_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/access/any_token.h"
#include "tests/access/sample_rules.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::access {
namespace {

constexpr std::string_view kPieces[] = {"SharedAccessSignature ",
                                        "sr=",
                                        "&sig=",
                                        "&se=",
                                        "&skn=",
                                        "sb%3A%2F%2Fh%2Fq",
                                        "root",
                                        "reader",
                                        "1700003600",
                                        "%",
                                        "%0",
                                        "%00",
                                        "&",
                                        "=",
                                        "+",
                                        "/",
                                        "://",
                                        "?",
                                        "#",
                                        ";",
                                        "Endpoint=sb://h/",
                                        ";SharedAccessKeyName=r",
                                        ";SharedAccessKey=k",
                                        ";EntityPath=q",
                                        "\n",
                                        "\xff",
                                        std::string_view("\0", 1),
                                        "9999999999999999999999",
                                        "-1",
                                        "Subscriptions",
                                        "{\"iss\":\"i\",\"aud\":[\"a\"],\"sub\":\"s\",\"exp\":",
                                        "1700003600}",
                                        "\"nbf\":1e400,",
                                        "\"alg\":\"HS256\"",
                                        "{\"",
                                        "[[[[[[[[[",
                                        "}",
                                        "eyJhbGciOiJIUzI1NiJ9.",
                                        ".",
                                        "$DeadLetterQueue"};

std::string AnyText(std::mt19937_64& random) {
  std::string text;
  if (random() % 2 == 0) text = MakeToken("sb://h/q", "reader", kKeyOne, kSampleLater);
  for (std::size_t left = random() % 12; left > 0; --left) {
    const std::string_view piece = kPieces[random() % std::size(kPieces)];
    const std::size_t at = text.empty() ? 0 : random() % (text.size() + 1);
    const std::size_t cut = random() % 3 == 0 ? random() % 8 : 0;
    text.replace(at, cut, piece);
  }
  return text;
}

TEST(TokenRandomTest, AnyTextIsATokenOrACleanError) {
  const std::uint64_t seed = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_TOKEN_ROUNDS", 20'000);
  for (std::uint64_t round = seed; round < seed + rounds; ++round) {
    const SeedNote note("WHARF_SEED=" + std::to_string(round));
    std::mt19937_64 random(round);
    TryAnyToken(AnyText(random));
  }
}

}  // namespace
}  // namespace wharf::access
