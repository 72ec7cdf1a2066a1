// The words of filters and actions (semantics 15.4). re2c makes C++ from this; text is UTF-8.
#include "broker/filter/lexer.h"

#include <charconv>
#include <utility>

#include <fmt/core.h>

namespace wharf::sql {

/*!include:re2c "unicode_categories.re" */

/*!re2c
  re2c:define:YYCTYPE = "unsigned char";
  re2c:define:YYCURSOR = cursor;
  re2c:define:YYMARKER = marker;
  re2c:define:YYLIMIT = limit;
  re2c:yyfill:enable = 0;
  re2c:eof = 0;

  space      = [ \t\r\n]+;
  identifier = L (L | Nd | "_")*;
  digits     = [0-9]+;
  decimal    = digits "." [0-9]* | "." digits;
  exponent   = 'e' [+-]? digits;
*/

Lexer::Lexer(const std::string& text, bool is_action, Assembler& assembler)
    : text_(text),
      assembler_(assembler),
      first_(is_action ? Parser::make_ACTION({}) : Parser::make_FILTER({})),
      word_(text.data()),
      cursor_(text.data()) {}

Parser::symbol_type Lexer::Next() {
  if (first_) return *std::exchange(first_, std::nullopt);
  return NextInText();
}

Parser::symbol_type Lexer::NextInText() {
  const auto* cursor = reinterpret_cast<const unsigned char*>(cursor_);
  const auto* const limit = reinterpret_cast<const unsigned char*>(text_.data() + text_.size());
  const unsigned char* marker = cursor;
  const auto take = [&] { cursor_ = reinterpret_cast<const char*>(cursor); };
  while (true) {
    word_ = reinterpret_cast<const char*>(cursor);
    /*!re2c
      space { continue; }
      $ { take(); return Parser::make_YYEOF(place()); }

      // SQL-1, SQL-29
      'and'    { take(); return Parser::make_AND(place()); }
      'escape' { take(); return Parser::make_ESCAPE(place()); }
      'exists' { take(); return Parser::make_EXISTS(place()); }
      'false'  { take(); return Parser::make_FALSE(place()); }
      'in'     { take(); return Parser::make_IN(place()); }
      'is'     { take(); return Parser::make_IS(place()); }
      'like'   { take(); return Parser::make_LIKE(place()); }
      'not'    { take(); return Parser::make_NOT(place()); }
      'null'   { take(); return Parser::make_NULL(place()); }
      'or'     { take(); return Parser::make_OR(place()); }
      'remove' { take(); return Parser::make_REMOVE(place()); }
      'set'    { take(); return Parser::make_SET(place()); }
      'true'   { take(); return Parser::make_TRUE(place()); }

      "="  { take(); return Parser::make_EQUAL(place()); }
      "<>" { take(); return Parser::make_UNEQUAL(place()); }
      "!=" { take(); return Parser::make_UNEQUAL(place()); }
      "<"  { take(); return Parser::make_LESS(place()); }
      "<=" { take(); return Parser::make_LESS_OR_EQUAL(place()); }
      ">"  { take(); return Parser::make_GREATER(place()); }
      ">=" { take(); return Parser::make_GREATER_OR_EQUAL(place()); }
      "+"  { take(); return Parser::make_PLUS(place()); }
      "-"  { take(); return Parser::make_MINUS(place()); }
      "*"  { take(); return Parser::make_TIMES(place()); }
      "/"  { take(); return Parser::make_DIVIDE(place()); }
      "%"  { take(); return Parser::make_REMAINDER(place()); }
      "("  { take(); return Parser::make_OPEN(place()); }
      ")"  { take(); return Parser::make_CLOSE(place()); }
      ","  { take(); return Parser::make_COMMA(place()); }
      "."  { take(); return Parser::make_POINT(place()); }
      ";"  { take(); return Parser::make_SEMICOLON(place()); }

      identifier     { take(); return Parser::make_IDENTIFIER(std::string(word()), place()); }
      "@" identifier {
        take();
        return Parser::make_PARAMETER(std::string(word()), place());
      }

      // SQL-2, SQL-27
      "'" ([^'] | "''")* "'"    { take(); return Parser::make_STRING(Unquoted(), place()); }
      "[" ([^\]] | "]]")* "]"   { take(); return Parser::make_DELIMITED(Unquoted(), place()); }
      ["] ([^"] | ["]["])* ["]  { take(); return Parser::make_DELIMITED(Unquoted(), place()); }

      digits                      { take(); return WholeNumber(); }
      decimal | (decimal | digits) exponent { take(); return FloatingNumber(); }

      "'" ([^'] | "''")*   { take(); return Wrong("what begins here has no end"); }
      "[" ([^\]] | "]]")*  { take(); return Wrong("what begins here has no end"); }
      ["] ([^"] | ["]["])* { take(); return Wrong("what begins here has no end"); }
      [^] { take(); return Wrong(fmt::format("'{}' is not expected here", word())); }
      *   { take(); return Wrong("the text is not UTF-8"); }
    */
  }
}

std::string_view Lexer::word() const {
  return {word_, static_cast<std::size_t>(cursor_ - word_)};
}

Place Lexer::place() const {
  return {static_cast<std::uint32_t>(word_ - text_.data()),
          static_cast<std::uint32_t>(cursor_ - text_.data())};
}

std::string Lexer::Unquoted() const {
  const char closing = word().back();
  const std::string_view inner = word().substr(1, word().size() - 2);
  std::string unquoted;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    unquoted += inner[i];
    if (inner[i] == closing) ++i;
  }
  return unquoted;
}

// SQL-4. Whether the one that only a minus makes an int64 has one, the assembler knows.
Parser::symbol_type Lexer::WholeNumber() {
  constexpr std::uint64_t kMagnitudeMax = std::uint64_t{1} << 63;
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(word_, cursor_, magnitude);
  if (read.ec != std::errc() || magnitude > kMagnitudeMax) return Wrong(kTooLargeForInt64);
  return Parser::make_WHOLE_NUMBER(magnitude, place());
}

Parser::symbol_type Lexer::FloatingNumber() {
  double number = 0;
  const auto read = std::from_chars(word_, cursor_, number);
  if (read.ec != std::errc()) return Wrong("the number does not fit into a double");
  return Parser::make_FLOATING_NUMBER(number, place());
}

// The parser does not speak of it again.
Parser::symbol_type Lexer::Wrong(std::string why) {
  assembler_.Fail(place(), std::move(why));
  return Parser::make_YYerror(place());
}

}  // namespace wharf::sql
