// JSON that is changed at random places: each is a request that can be written and read again, or
// it is refused by a short sentence. WHARF_JSON_ROUNDS and WHARF_SEED make it longer or begin it
// elsewhere.
#include <random>
#include <string>

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <wharf/v1/messaging.pb.h>

#include "broker/doors/http/console/json_form.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::console {
namespace {

constexpr std::string_view kSample =
    R"({"entityPath": "q", "messages": [{"body": "AP8=", "timeToLive": "1.5s", "priority": 4,
    "applicationProperties": {"n": {"int64Value": "9007199254740993"}, "x": {"doubleValue": 1.5},
    "t": {"timestampValue": "1970-01-01T00:00:10Z"}, "b": {"boolValue": true}}}, {}],
    "atomic": true})";

constexpr std::string_view kPieces[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ":",
                                        ",",
                                        "\"",
                                        "\\",
                                        "null",
                                        "true",
                                        "1e999",
                                        "-0",
                                        "NaN",
                                        "1.5s",
                                        "\xFF",
                                        "\\u0000",
                                        "\\ud800",
                                        "\"entityPath\": \"q\", ",
                                        "\"messages\": [",
                                        "\"body\": ",
                                        "9999999999",
                                        "-1",
                                        "==",
                                        "Infinity",
                                        "{}",
                                        "[]",
                                        "\"@type\": \"x\"",
                                        " ",
                                        "\xC3\xA4"};

void TryAnyJson(const std::string& text) {
  const auto& type = *v1::SendRequest::descriptor();
  const Result<std::string> bytes = BytesOfJson(text, type);
  if (!bytes.ok()) {
    EXPECT_EQ(bytes.status().code(), ErrorCode::kArgumentError);
    EXPECT_LT(bytes.status().message().size(), 400U) << text;
    return;
  }
  v1::SendRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes)) << text;
  const Result<std::string> json = JsonOfBytes(*bytes, type);
  ASSERT_TRUE(json.ok()) << text;
  const Result<std::string> again = BytesOfJson(*json, type);
  ASSERT_TRUE(again.ok()) << again.status().ToString() << *json;
  v1::SendRequest same;
  ASSERT_TRUE(same.ParseFromString(*again));
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(same, request));
}

TEST(AnyJsonTest, IsReadOrRefused) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_JSON_ROUNDS", 5000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed) + " WHARF_JSON_ROUNDS=1");
    std::mt19937_64 random(seed);
    std::string text(kSample);
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      const std::string_view piece = kPieces[random() % std::size(kPieces)];
      text.replace(random() % text.size(), random() % 3, piece);
    }
    TryAnyJson(text);
  }
}

}  // namespace
}  // namespace wharf::console
