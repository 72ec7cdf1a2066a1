// Table: rows under headings, in columns that fit what they hold and the terminal that shows them.
//
// The first rows are held back until the widths of the columns can be told from them; all others
// are written as they come, so that a list of any length needs little memory. Every cell is made
// printable (printable_text.h).
//
// On a terminal no line is wider than it: columns that may shrink are cut with a mark, or go on
// below, and where that is not enough columns that can be missed are left out. Elsewhere everything
// is complete: the widths are the same, and what is longer pushes its row to the right.
//
// Used by the commands that list something, on the main thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/wharf/terminal/output.h"

namespace wharf::tool {

struct Column {
  enum class Kind {
    // To the right; never cut.
    kNumber,
    // To the left; never cut: states, times.
    kWord,
    // To the left; shrinks where room is short: names, ids, bodies.
    kText,
    // Of the last column: shrinks as well, but what has no room goes on below it.
    kProse,
  };

  std::string heading;
  Kind kind = Kind::kWord;
  // Left out where the terminal is too narrow, the last one first.
  bool is_optional = false;
};

class Table {
 public:
  struct Place {
    // In columns of the terminal.
    std::size_t width = 80;
    // Whether nothing may be wider.
    bool is_terminal = false;
  };
  // Gets one or several whole lines.
  using Write = std::function<void(std::string_view lines)>;

  Table(std::vector<Column> columns, Place place, Write write);
  // On a standard stream, which outlives the table.
  Table(std::vector<Column> columns, Output& out);

  // As many cells as there are columns.
  void Add(const std::vector<std::string>& cells);
  // After the last row: writes what was held back, and if there was no row, the headings alone.
  void End();

 private:
  using Cells = std::vector<std::string>;

  void Begin();
  std::vector<std::size_t> NaturalWidths() const;
  std::string Lines(Cells cells) const;
  std::string Line(const Cells& cells) const;

  const std::vector<Column> columns_;
  const Place place_;
  const Write write_;
  bool has_begun_ = false;
  // Until it has begun.
  std::vector<Cells> held_back_;
  // Of the columns, once it has begun; 0: left out.
  std::vector<std::size_t> widths_;
};

}  // namespace wharf::tool
