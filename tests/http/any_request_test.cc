// Requests and frames that are changed at random places: each is read and written again, or
// refused. WHARF_REQUEST_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.
#include "tests/http/any_request.h"

#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

constexpr std::string_view kPieces[] = {
    "%",    "%2F",      "%00",  "/",     "//",   "..",      "?",    "&",        "=",
    "\n",   "\r\n",     ": ",   "\"",    "\\",   "\\u00",   "{",    "}",        "[",
    "]",    ",",        "-",    "1e309", "null", "0.",      "\xFF", "\xC3\xA4", "GMT",
    "true", "messages", "head", "true",  "Body", "99999999"};

constexpr std::string_view kRequests[] = {
    "POST /a/b%20c/messages?timeout=60\n"
    "BrokerProperties: {\"MessageId\":\"m\",\"TimeToLive\":1.5,\"Label\":\"\\u00e4\"}\n"
    "Content-Type: text/plain\ncolour: \"red\"\nnumber: 17\nreal: 2.5\n"
    "at: \"Thu, 01 Jan 1970 00:00:00 GMT\"\n\nbody",
    "POST /q/messages\nContent-Type: application/vnd.microsoft.servicebus.json\n\n"
    "[{\"Body\":\"YQ==\",\"IsBodyBase64\":true,\"BrokerProperties\":{\"SessionId\":\"s\"},"
    "\"UserProperties\":{\"a\":1,\"b\":\"x\",\"c\":null}},{\"Body\":\"two\"}]",
    "DELETE /q/messages/7/9e107d9d-372b-4bca-8a15-5f2c1a3b4c5d\n\n",
    "GET /t/Subscriptions/s/Rules?%24skip=1&%24top=2\n\n",
};

constexpr std::string_view kFrames{
    "\x02\x84\x01\x02\x03\x04"
    "abcd\x89\x81\x00\x00\x00\x00p\x80\xFE\x00\x03\x07\x07\x07\x07xyz\x88\x82\x00\x00\x00\x00\x03"
    "\xE8",
    38};

template <typename Try>
void ChangeAndTry(std::string text, std::mt19937_64& random, Try try_it) {
  for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
    const std::string_view piece = kPieces[random() % std::size(kPieces)];
    text.replace(random() % text.size(), random() % 3, piece);
  }
  try_it(text);
}

TEST(AnyRequestTest, IsReadOrRefused) {  // RST-1, RST-2, USR-5
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_REQUEST_ROUNDS", 5000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed) + " WHARF_REQUEST_ROUNDS=1");
    std::mt19937_64 random(seed);
    ChangeAndTry(std::string(kRequests[random() % std::size(kRequests)]), random, TryAnyRequest);
    ChangeAndTry(std::string(kFrames), random, TryAnyFrames);
  }
}

}  // namespace
}  // namespace wharf
