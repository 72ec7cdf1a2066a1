#include "tools/wharf/terminal/table.h"

#include <algorithm>
#include <utility>

#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

using Widths = std::vector<std::size_t>;

constexpr std::size_t kHeldBackMax = 250;
constexpr std::size_t kGap = 2;
// A column that shrinks keeps this much, as long as another one can be left out instead.
constexpr std::size_t kTextWidthMin = 8;

bool Shrinks(const Column& column) {
  return column.kind == Column::Kind::kText || column.kind == Column::Kind::kProse;
}

// What the columns take when those of texts have at most so much.
std::size_t WidthOfLine(const std::vector<Column>& columns, const Widths& widths,
                        std::size_t text_width_max) {
  std::size_t total = 0;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    total += Shrinks(columns[i]) ? std::min(widths[i], text_width_max) : widths[i];
    if (widths[i] > 0) ++shown;
  }
  return total + (shown > 0 ? (shown - 1) * kGap : 0);
}

void LeaveOutOptional(const std::vector<Column>& columns, std::size_t width_max, Widths& widths) {
  for (std::size_t i = columns.size(); i > 0; --i) {
    if (WidthOfLine(columns, widths, kTextWidthMin) <= width_max) return;
    if (columns[i - 1].is_optional) widths[i - 1] = 0;
  }
}

// The columns of texts share the room that the others leave, so that the widest are cut first.
void ShrinkTexts(const std::vector<Column>& columns, std::size_t width_max, Widths& widths) {
  std::vector<std::size_t*> texts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (Shrinks(columns[i]) && widths[i] > 0) texts.push_back(&widths[i]);
  }
  std::sort(texts.begin(), texts.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const std::size_t taken = WidthOfLine(columns, widths, 0);
  std::size_t room = width_max > taken ? width_max - taken : 0;
  for (std::size_t left = texts.size(); left > 0; --left) {
    std::size_t& width = *texts[texts.size() - left];
    width = std::clamp<std::size_t>(room / left, 1, width);
    room -= std::min(room, width);
  }
}

std::string Aligned(const Column& column, const std::string& cell, std::size_t width) {
  const std::size_t taken = WidthOf(cell);
  const std::string padding(taken < width ? width - taken : 0, ' ');
  return column.kind == Column::Kind::kNumber ? padding + cell : cell + padding;
}

}  // namespace

Table::Table(std::vector<Column> columns, Place place, Write write)
    : columns_(std::move(columns)), place_(place), write_(std::move(write)) {}

Table::Table(std::vector<Column> columns, Output& out)
    : Table(std::move(columns), {.width = out.width(), .is_terminal = out.is_terminal()},
            [&out](std::string_view lines) { out.Write(lines); }) {}

void Table::Add(const std::vector<std::string>& cells) {
  Cells printable;
  for (const std::string& cell : cells) printable.push_back(Printable(cell));
  if (has_begun_) return write_(Lines(std::move(printable)));
  held_back_.push_back(std::move(printable));
  if (held_back_.size() == kHeldBackMax) Begin();
}

void Table::End() {
  if (!has_begun_) Begin();
}

void Table::Begin() {
  has_begun_ = true;
  widths_ = NaturalWidths();
  if (place_.is_terminal) LeaveOutOptional(columns_, place_.width, widths_);
  ShrinkTexts(columns_, place_.width, widths_);
  Cells headings;
  for (const Column& column : columns_) headings.push_back(column.heading);
  std::string lines = Line(headings);
  for (Cells& cells : held_back_) lines += Lines(std::move(cells));
  held_back_ = {};
  write_(lines);
}

std::vector<std::size_t> Table::NaturalWidths() const {
  Widths widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(WidthOf(columns_[i].heading));
    for (const Cells& cells : held_back_) widths[i] = std::max(widths[i], WidthOf(cells[i]));
  }
  return widths;
}

// The row, and below it what had no room of its prose.
std::string Table::Lines(Cells cells) const {
  const bool is_prose = columns_.back().kind == Column::Kind::kProse;
  // A word a line is not read either.
  if (!place_.is_terminal || !is_prose || widths_.back() < kTextWidthMin) return Line(cells);
  std::string lines;
  for (std::string& each : Wrapped(cells.back(), widths_.back())) {
    cells.back() = std::move(each);
    lines += Line(cells);
    cells.assign(columns_.size(), "");
  }
  return lines;
}

std::string Table::Line(const Cells& cells) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths_[i] == 0) continue;
    if (!line.empty()) line.append(kGap, ' ');
    const bool is_cut = place_.is_terminal && Shrinks(columns_[i]);
    line += Aligned(columns_[i], is_cut ? Printable(cells[i], widths_[i]) : cells[i], widths_[i]);
  }
  line.resize(line.find_last_not_of(' ') + 1);
  // A number that is wider than those that the columns were made for.
  if (place_.is_terminal) line = Printable(line, place_.width);
  return line + "\n";
}

}  // namespace wharf::tool
