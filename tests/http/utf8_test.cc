#include "broker/doors/http/servicebus/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using namespace std::string_view_literals;

TEST(Utf8Test, TheFirstAndTheLastOfEachLengthAreCharacters) {
  EXPECT_EQ(Utf8LengthOf("\0x"sv), 1U);
  EXPECT_EQ(Utf8LengthOf("\x7Fx"), 1U);
  EXPECT_EQ(Utf8LengthOf("\xC2\x80x"), 2U);
  EXPECT_EQ(Utf8LengthOf("\xDF\xBFx"), 2U);
  EXPECT_EQ(Utf8LengthOf("\xE0\xA0\x80x"), 3U);
  EXPECT_EQ(Utf8LengthOf("\xED\x9F\xBFx"), 3U);
  EXPECT_EQ(Utf8LengthOf("\xEE\x80\x80x"), 3U);
  EXPECT_EQ(Utf8LengthOf("\xEF\xBF\xBFx"), 3U);
  EXPECT_EQ(Utf8LengthOf("\xF0\x90\x80\x80x"), 4U);
  EXPECT_EQ(Utf8LengthOf("\xF4\x8F\xBF\xBFx"), 4U);
}

TEST(Utf8Test, WhatIsLongerThanItNeedBeOrNoCharacterIsNone) {
  for (const std::string_view bytes :
       {"\x80"sv, "\xBF"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv,
        "\xED\xBF\xBF"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv,
        "\xFF"sv}) {
    EXPECT_EQ(Utf8LengthOf(bytes), 0U) << static_cast<unsigned>(bytes[0]);
  }
}

TEST(Utf8Test, ACharacterIsThereToItsEnd) {
  for (const std::string_view whole : {"\xC2\x80"sv, "\xE0\xA0\x80"sv, "\xF0\x90\x80\x80"sv}) {
    for (std::size_t count = 1; count < whole.size(); ++count) {
      EXPECT_EQ(Utf8LengthOf(whole.substr(0, count)), 0U);
      std::string other(whole);
      other[count] = 'x';
      EXPECT_EQ(Utf8LengthOf(other), 0U);
    }
  }
}

TEST(Utf8Test, ATextIsCharactersOneBehindAnother) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z"));
  EXPECT_FALSE(IsUtf8("a\xC3"));
  EXPECT_FALSE(IsUtf8("a\xC3\xA4\xA4"));
}

TEST(Utf8Test, WhatIsWrittenIsReadAndWhatIsNoCharacterIsReplaced) {
  for (const char32_t character :
       {U'\0', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    std::string text;
    AppendUtf8(character, text);
    EXPECT_EQ(Utf8LengthOf(text), text.size()) << static_cast<unsigned>(character);
  }
  for (const std::uint32_t number : {0xD800U, 0xDFFFU, 0x110000U}) {
    std::string text;
    AppendUtf8(static_cast<char32_t>(number), text);
    EXPECT_EQ(text, "\xEF\xBF\xBD") << number;
  }
}

}  // namespace
}  // namespace wharf
