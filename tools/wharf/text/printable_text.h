// PrintableText: text of other people's making, shown without harm.
//
// A name, an id, a property, a body or the sentence of an error holds whatever its sender liked: an
// escape sequence that repaints the terminal, a line feed that feigns a row of a table, a control
// that turns the direction of writing. Everything that stands for something else than a visible
// character is shown as an escape:
//
//   \n \r \t           these
//   \x1b               other control characters of ASCII
//   \u{202e}           controls of Unicode: C1, bidirectional, invisible; unassigned code points
//   \xff               a byte that is no UTF-8
//
// but for the two joiners, which many scripts need. Of accents over one letter the first four are
// shown as such. Widths are columns of a terminal: a Chinese character has two, an accent none.
//
// Used by every listing, on any thread. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wharf::tool {

// On one line. Printable of what is printable is the same again.
std::string Printable(std::string_view text);
// At most so many columns; what is longer ends in "…". Looks at no more of the text than it shows.
std::string Printable(std::string_view text, std::size_t width_max);

// The same with its line feeds: for text of several lines that may quote.
std::string PrintableLines(std::string_view text);
// Text in UTF-8 with everything that is not printable as JSON escapes it, "\\u202e".
std::string WithJsonEscapes(std::string text);
// How long text in UTF-8 is so, as a string of JSON, without its quotes.
std::size_t SizeInJson(std::string_view text);

// Of printable text.
std::size_t WidthOf(std::string_view text);
// Printable text in lines of at most so many columns, at least one; broken at spaces, and within a
// word only where that is longer than a line.
std::vector<std::string> Wrapped(std::string_view text, std::size_t width_max);

}  // namespace wharf::tool
