// Entries that are changed at random places: each is read and written again, or refused.
// WHARF_ENTRY_ROUNDS and WHARF_SEED make it longer or begin it elsewhere.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "broker/doors/http/atom/feed.h"
#include "tests/from_environment.h"
#include "tests/http/atom/any_entry.h"
#include "tests/seed_note.h"

namespace wharf::atom {
namespace {

constexpr std::string_view kPieces[] = {
    "<",     ">",        "</",        "/>",       "\"",           "&amp;",     "&#0;",
    "&#13;", "&x;",      "<![CDATA[", "]]>",      "<!--",         "<!DOCTYPE", "xmlns",
    "=",     ":",        "P",         "T",        "99999999",     "-",         ".",
    "true",  " ",        "\xFF",      "d6p1:",    "i:type",       "<Name>",    "</Name>",
    "<?x?>", "\xC3\xA4", "x:",        " x:a='b'", " xmlns:x='u'", " xmlns=''", "<x:B/>",
    "&#10;"};

std::string Sample(std::uint64_t which) {
  if (which % 2 == 0) {
    CorrelationFilter filter;
    filter.subject = "s";
    filter.application_properties = {{"a", std::int32_t{1}}, {"b", TimeSpan{{5, 0}}}};
    return RuleEntry("t/Subscriptions/s", {.name = "r", .filter = filter}, {});
  }
  QueueSnapshot queue;
  queue.record.description.name = "q";
  queue.record.description.forward_to = "other";
  queue.record.description.unknown_elements =
      "<New xmlns:x=\"urn:x\" x:a=\"&amp;\">1<B c=\"x:t\"/>2<x:D> </x:D></New><E xmlns=\"\"/>";
  return EntityEntry(queue, {.origin = "https://h"});
}

TEST(AnyEntryTest, IsReadOrRefused) {
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_ENTRY_ROUNDS", 5000);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed) + " WHARF_ENTRY_ROUNDS=1");
    std::mt19937_64 random(seed);
    std::string text = Sample(random());
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      const std::string_view piece = kPieces[random() % std::size(kPieces)];
      text.replace(random() % text.size(), random() % 3, piece);
    }
    TryAnyEntry(text);
  }
}

}  // namespace
}  // namespace wharf::atom
