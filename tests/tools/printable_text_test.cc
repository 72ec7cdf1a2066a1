#include "tools/wharf/text/printable_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/wharf/text/json.h"

namespace wharf::tool {
namespace {

using std::string_literals::operator""s;

TEST(PrintableTextTest, LeavesWhatIsHarmless) {
  for (const char* text :
       {"", "orders", "a b", "C:\\temp", "Grüße", "订单", "☃️", "سلام", "👩‍🚀", "…"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(PrintableTextTest, ShowsControlsAsEscapes) {
  EXPECT_EQ(Printable("id\x1b[31m"), "id\\x1b[31m");
  EXPECT_EQ(Printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(Printable("\0\x7f\b"s), "\\x00\\x7f\\x08");
}

TEST(PrintableTextTest, ShowsUnicodeControlsAsEscapes) {
  EXPECT_EQ(Printable("a\u009b31m"), "a\\u{9b}31m");          // CSI in one character
  EXPECT_EQ(Printable("exe.\u202egpj"), "exe.\\u{202e}gpj");  // right-to-left override
  EXPECT_EQ(Printable("\u2066x\u2069"), "\\u{2066}x\\u{2069}");
  EXPECT_EQ(Printable("or\u200bders"), "or\\u{200b}ders");
  EXPECT_EQ(Printable("a\u2028b"), "a\\u{2028}b");
}

TEST(PrintableTextTest, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(Printable("a\xff\xc3("), "a\\xff\\xc3(");
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");           // cut short
}

TEST(PrintableTextTest, ShowsFourAccentsOfATower) {
  EXPECT_EQ(Printable("a\u0301\u0301\u0301\u0301\u0301b"), "a\u0301\u0301\u0301\u0301\\u{301}b");
}

TEST(PrintableTextTest, StaysTheSameWhenMadePrintableTwice) {
  const std::string once = Printable("\x1b]0;title\a\u202e\xff a\nb");

  EXPECT_EQ(Printable(once), once);
}

TEST(PrintableTextTest, CutsToColumns) {
  EXPECT_EQ(Printable("orders", 6), "orders");
  EXPECT_EQ(Printable("orders", 5), "orde…");
  EXPECT_EQ(Printable("orders", 1), "…");
  EXPECT_EQ(Printable("orders", 0), "");
}

TEST(PrintableTextTest, CountsColumnsNotBytes) {
  EXPECT_EQ(WidthOf("Grüße"), 5u);
  EXPECT_EQ(WidthOf("订单"), 4u);
  EXPECT_EQ(WidthOf("e\u0301"), 1u);
  EXPECT_EQ(Printable("订单中心", 6), "订单…");
  EXPECT_EQ(Printable("订单中心", 8), "订单中心");
}

TEST(PrintableTextTest, CutsNoEscapeInTwo) {
  EXPECT_EQ(Printable("ab\x1b", 6), "ab\\x1b");
  EXPECT_EQ(Printable("ab\x1b", 5), "ab…");
  EXPECT_EQ(Printable("ab\x1b\x1b", 8), "ab\\x1b…");
}

TEST(PrintableTextTest, LooksAtNoMoreThanItShows) {
  const std::string body(std::size_t{64} << 20, 'x');

  EXPECT_EQ(Printable(body, 5), "xxxx…");
}

TEST(PrintableTextTest, KeepsLineFeedsOfOurOwn) {
  EXPECT_EQ(PrintableLines("a\nb\x1b[2J\n"), "a\nb\\x1b[2J\n");
  EXPECT_EQ(PrintableLines("\n\na\tb"), "\n\na\\tb");
}

TEST(PrintableTextTest, JsonIsEscapedAsJson) {
  EXPECT_EQ(WithJsonEscapes("{\"a\":\"plain\"}"), "{\"a\":\"plain\"}");
  EXPECT_EQ(WithJsonEscapes("\"Grüße\u009b\x7f\u202e\U000e0041\""),
            "\"Grüße\\u009b\\u007f\\u202e\\udb40\\udc41\"");
}

TEST(PrintableTextTest, TheSizeInJsonIsThatOfWhatIsWritten) {
  std::string all;
  for (int letter = 0; letter < 128; ++letter) all += static_cast<char>(letter);
  for (const std::string& text :
       {all, std::string("Grüße\u009b\u202e\ue000\U000e0041\U0001f600")}) {
    EXPECT_EQ(SizeInJson(text) + 2, WithJsonEscapes(ToLine(Json(text))).size());
  }
}

TEST(WrappedTest, LinesEndAtSpacesAndInWordsThatAreLongerThanALine) {
  using ::testing::ElementsAre;
  EXPECT_THAT(Wrapped("", 5), ElementsAre(""));
  EXPECT_THAT(Wrapped("one two", 7), ElementsAre("one two"));
  EXPECT_THAT(Wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrapped("one twos", 7), ElementsAre("one", "twos"));
  EXPECT_THAT(Wrapped("a longest", 4), ElementsAre("a", "long", "est"));
  EXPECT_THAT(Wrapped("订单订单", 5), ElementsAre("订单", "订单"));
  EXPECT_THAT(Wrapped("订单", 1), ElementsAre("订", "单"));
}

}  // namespace
}  // namespace wharf::tool
