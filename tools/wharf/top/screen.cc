#include "tools/wharf/top/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "storage/base/duration_text.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/lock_token_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {
namespace {

using Look = ScreenLine::Look;

struct ColumnShape {
  TopColumn column;
  std::string_view heading;
  std::size_t width;
  // Left out where the terminal is too narrow, the highest first; 0: never.
  int dispensable;
};

// Behind the name.
constexpr std::array<ColumnShape, kTopColumnCount - 1> kColumns = {{
    {TopColumn::kAvailable, "AVAILABLE", 10, 0},
    {TopColumn::kLocked, "LOCKED", 8, 1},
    {TopColumn::kDelayed, "DELAYED", 8, 6},
    {TopColumn::kDeferred, "DEFERRED", 9, 7},
    {TopColumn::kScheduled, "SCHEDULED", 10, 5},
    {TopColumn::kDead, "DEAD", 7, 2},
    {TopColumn::kIn, "IN/S", 7, 0},
    {TopColumn::kOut, "OUT/S", 7, 0},
    {TopColumn::kOldest, "OLDEST", 8, 3},
    {TopColumn::kSize, "SIZE", 10, 4},
}};
constexpr std::size_t kNameWidthMin = 20;
// Below it, what cannot be left out is cut.
constexpr int kDispensableMax = 7;

struct Shape {
  std::size_t name_width = 0;
  // Columns up to this are there.
  int dispensable = 0;
};

std::size_t WidthOfColumns(int dispensable) {
  std::size_t width = 0;
  for (const ColumnShape& shape : kColumns) {
    if (shape.dispensable <= dispensable) width += shape.width + 1;
  }
  return width;
}

Shape ShapeFor(std::size_t width) {
  int dispensable = kDispensableMax;
  while (dispensable > 0 && WidthOfColumns(dispensable) + kNameWidthMin > width) --dispensable;
  const std::size_t taken = WidthOfColumns(dispensable);
  return {std::max<std::size_t>(width > taken ? width - taken : 0, 8), dispensable};
}

// Cut or filled up to that width.
std::string Left(std::string_view text, std::size_t width) {
  std::string shown = Printable(text, width);
  const std::size_t taken = WidthOf(shown);
  return shown + std::string(taken < width ? width - taken : 0, ' ');
}

std::string Cut(std::string_view text, std::size_t width) { return Printable(text, width); }

// Of printable text; what is behind the last letter that has no room goes with it.
std::string_view EndOf(std::string_view text, std::size_t width) {
  const auto is_inside = [](char byte) { return (byte & '\xc0') == '\x80'; };
  std::size_t from = text.size();
  for (std::size_t at = text.size(); at-- > 0;) {
    if (is_inside(text[at])) continue;
    if (WidthOf(text.substr(at)) > width) break;
    from = at;
  }
  return text.substr(from);
}

// Of names: those of the subscriptions of a topic differ at their ends.
std::string CutInTheMiddle(std::string_view text, std::size_t width) {
  const std::string shown = Printable(text);
  if (WidthOf(shown) <= width) return shown;
  const std::string_view end = EndOf(shown, width / 2);
  return Printable(shown, width - WidthOf(end)) + std::string(end);
}

std::string CellOf(const EntityRow& row, TopColumn column) {
  const auto rate = [](const std::optional<double>& number) {
    return number ? ShortNumber(*number) : std::string("-");
  };
  switch (column) {
    case TopColumn::kName:
      return row.path;
    case TopColumn::kAvailable:
      return ShortNumber(static_cast<double>(row.available));
    case TopColumn::kLocked:
      return ShortNumber(static_cast<double>(row.locked));
    case TopColumn::kDelayed:
      return ShortNumber(static_cast<double>(row.delayed));
    case TopColumn::kDeferred:
      return ShortNumber(static_cast<double>(row.deferred));
    case TopColumn::kScheduled:
      return ShortNumber(static_cast<double>(row.scheduled));
    case TopColumn::kDead:
      return ShortNumber(static_cast<double>(row.dead));
    case TopColumn::kIn:
      return rate(row.in);
    case TopColumn::kOut:
      return rate(row.out);
    case TopColumn::kOldest:
      return row.age ? ShortTime(*row.age) : "-";
    case TopColumn::kSize:
      return ShortBytes(static_cast<double>(row.bytes));
  }
  return "";
}

std::string RateText(const std::optional<double>& rate) {
  return rate ? ShortNumber(*rate) + "/s" : std::string("-");
}

std::string SyncText(const TopFrame& frame) {
  if (!frame.sync_p50 || !frame.sync_p99) return fmt::format("syncs {}", RateText(frame.syncs));
  return fmt::format("syncs {}, p50 {}, p99 {}", RateText(frame.syncs),
                     RoundedDuration(*frame.sync_p50), RoundedDuration(*frame.sync_p99));
}

std::string MemoryText(const v1::MemoryUse& memory) {
  const std::int64_t store = memory.write_buffer_bytes() + memory.block_cache_bytes();
  const auto bytes = [](std::int64_t count) { return ShortBytes(static_cast<double>(count)); };
  return fmt::format("memory: windows {}, requests {}, streams {}, store {}",
                     bytes(memory.window_bytes()), bytes(memory.request_bytes()),
                     bytes(memory.stream_bytes()), bytes(store));
}

std::string DiskText(const v1::BrokerStatistics& broker) {
  const v1::StoreSpace& space = broker.space();
  std::string text =
      fmt::format("disk: {} free, store {}, dead {}",
                  ShortBytes(static_cast<double>(broker.disk().free_bytes())),
                  ShortBytes(static_cast<double>(space.table_bytes() + space.large_body_bytes())),
                  ShortBytes(static_cast<double>(space.dead_bytes())));
  if (broker.disk().state() == v1::DiskStatus::STATE_NEARLY_FULL) text += "; NEARLY FULL";
  if (broker.disk().state() == v1::DiskStatus::STATE_FULL) text += "; FULL: sends are refused";
  return text;
}

std::string UpTimeOf(const v1::BrokerStatistics& broker) {
  const auto up = broker.now() - broker.started_at();
  return ShortTime(static_cast<double>(up.seconds()));
}

std::string StatusOf(const TopView& view) {
  const TopView::Look& look = view.look();
  std::string text = fmt::format("{} of {} entities", WithThousands(view.rows().size()),
                                 WithThousands(view.frame().entities.size()));
  const auto there = static_cast<std::uint64_t>(view.frame().broker.entity_count());
  if (view.frame().entities.size() >= TopSample::kEntitiesMax && there > TopSample::kEntitiesMax) {
    text += fmt::format(" ({} there are)", WithThousands(there));
  }
  if (!look.filter.empty() || look.is_typing) {
    text += fmt::format("; filter: {}{}", Printable(look.filter), look.is_typing ? "_" : "");
  }
  return text;
}

std::string TroubleText(const Contact& contact) {
  return fmt::format("the broker does not answer for {} s, and is asked again: {}",
                     contact.silent_for.count(), contact.trouble.message());
}

// So many rows there are, as far as a window has lines, before it tells of the broker.
constexpr std::size_t kRowsMin = 5;
// A row, its headings and the footer; what is above them says less than they do.
constexpr std::size_t kHeightOfOneRow = 3;

std::size_t LinesBeyond(std::size_t taken, std::size_t height) {
  return height > taken ? height - taken : 0;
}

// What stands above the rows: as much of it as a small window has room for.
std::vector<ScreenLine> TopOf(const TopView& view, const Contact& contact, FullScreen::Size size) {
  std::vector<ScreenLine> lines;
  const std::size_t has_trouble = contact.trouble.ok() ? 0 : 1;
  const std::size_t spare = LinesBeyond(kHeightOfOneRow + has_trouble, size.height);
  for (std::string& line : HeaderOf(view.frame(), contact.address, size.width)) {
    if (lines.size() >= LinesBeyond(kRowsMin, spare)) break;
    lines.push_back({std::move(line), lines.empty() ? Look::kBold : Look::kPlain});
  }
  if (has_trouble != 0) lines.push_back({Cut(TroubleText(contact), size.width), Look::kAlarm});
  if (spare > 0) lines.push_back({Cut(StatusOf(view), size.width), Look::kPlain});
  return lines;
}

ScreenLine FooterOf(const TopView& view, std::size_t width) {
  const TopView::Look& look = view.look();
  std::string_view text = "F1 Help  / Filter  F6 < > Sort  R Reverse  Enter Locks  F10 q Quit";
  if (look.is_typing) text = "Enter Keep  Esc Clear";
  if (look.page == TopView::Page::kLocks) text = "Enter Esc Back  F10 q Quit";
  if (look.page == TopView::Page::kHelp) text = "F1 Esc Back  F10 q Quit";
  return {Left(text, width), Look::kReverse};
}

void AddEntities(const TopView& view, std::size_t room, std::size_t width,
                 std::vector<ScreenLine>& lines) {
  lines.push_back({HeadingOf(view.look(), width), Look::kReverse});
  const std::size_t end = std::min(view.rows().size(), view.first() + room);
  for (std::size_t i = view.first(); i < end; ++i) {
    lines.push_back(
        {LineOf(view.rows()[i], width), i == view.selected() ? Look::kReverse : Look::kPlain});
  }
}

std::string LockLine(const v1::LockProperties& lock, std::size_t width) {
  std::string holder = "before the restart";
  if (lock.has_holder()) {
    const bool is_stream = lock.holder().kind() == v1::LockHolder::KIND_STREAM;
    holder = fmt::format("{} {}{}", is_stream ? "stream" : "call", lock.holder().peer(),
                         lock.holder().is_at_limit() ? ", at its limit" : "");
  }
  return Cut(
      fmt::format("{:>12}  {:<20}  {:<20}  {}{}", lock.sequence_number(),
                  lock.has_locked_since() ? TimeText(lock.locked_since()) : "-",
                  lock.has_locked_until() ? TimeText(lock.locked_until()) : "as its session",
                  holder, lock.has_session_id() ? ", session " + lock.session_id() : std::string()),
      width);
}

void AddLocks(const std::string& path, const LocksSample* locks, std::size_t width,
              std::vector<ScreenLine>& lines) {
  lines.push_back({Cut("Who holds messages of " + path + ":", width), Look::kBold});
  lines.push_back(
      {Left(fmt::format("{:>12}  {:<20}  {:<20}  {}", "NUMBER", "SINCE", "UNTIL", "HOLDER"), width),
       Look::kReverse});
  if (locks == nullptr || locks->path != path) return;
  if (!locks->status.ok()) return lines.push_back({Cut(locks->status.message(), width)});
  if (locks->locks.empty()) lines.push_back({"nobody"});
  for (const v1::LockProperties& lock : locks->locks) lines.push_back({LockLine(lock, width)});
  if (locks->has_more) lines.push_back({Cut("and more; wharf locks tells all", width)});
}

void AddHelp(std::size_t width, std::vector<ScreenLine>& lines) {
  for (const std::string_view line :
       {"Up Down PgUp PgDn Home End   which entity is selected; also k and j",
        "Enter                        who holds locks on messages of it, and back",
        "/ F4                         only those with this text in their names; Esc: all",
        "F6 < >                       the column that it is sorted by",
        "N A L C D I O T S            by name, available, locked, scheduled, dead-lettered,",
        "                             in, out, time of the oldest, size; again: the other way",
        "R                            the other way round",
        "h ? F1                       this page", "q F10 Ctrl-C                 the end", "",
        "IN/S    messages that came, scheduled ones again when their time came",
        "OUT/S   messages that are gone: settled, expired, purged, or moved on",
        "OLDEST  since when the oldest waits that is available, where the broker knows it",
        "DEAD    those in the dead-letter queue"}) {
    lines.push_back({Cut(line, width)});
  }
}

}  // namespace

std::string ShortNumber(double number) {
  constexpr std::array<char, 5> kUnits = {' ', 'k', 'M', 'G', 'T'};
  if (number < 10 && number != std::floor(number)) return fmt::format("{:.1f}", number);
  std::size_t unit = 0;
  while (number >= (unit == 0 ? 99'999.5 : 999.5) && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}", number);
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", number, digits, kUnits[unit]);
}

std::string ShortTime(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

std::string ShortBytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::vector<std::string> HeaderOf(const TopFrame& frame, const std::string& address,
                                  std::size_t width) {
  const v1::BrokerStatistics& broker = frame.broker;
  std::vector<std::string> lines = {
      fmt::format("wharf top {}  version {}  up {}  {}", address, broker.version(),
                  UpTimeOf(broker), TimeText(broker.now())),
      fmt::format("entities {}, connections {}  sent {}, delivered {}, settled {}",
                  WithThousands(static_cast<std::uint64_t>(broker.entity_count())),
                  broker.open_connection_count(), RateText(frame.sent), RateText(frame.delivered),
                  RateText(frame.settled)),
      fmt::format("{}  {}", SyncText(frame), DiskText(broker)), MemoryText(broker.memory())};
  for (std::string& line : lines) line = Cut(line, width);
  return lines;
}

std::string HeadingOf(const TopView::Look& look, std::size_t width) {
  const Shape shape = ShapeFor(width);
  const char mark = look.is_reversed ? '^' : 'v';
  const auto marked = [&](TopColumn column, std::string_view heading) {
    return column == look.column ? fmt::format("{}{}", heading, mark) : std::string(heading);
  };
  std::string line = Left(marked(TopColumn::kName, "NAME"), shape.name_width);
  for (const ColumnShape& each : kColumns) {
    if (each.dispensable > shape.dispensable) continue;
    line += fmt::format(" {:>{}}", marked(each.column, each.heading), each.width);
  }
  return Left(line, width);
}

std::string LineOf(const EntityRow& row, std::size_t width) {
  const Shape shape = ShapeFor(width);
  std::string line = Left(CutInTheMiddle(row.path, shape.name_width), shape.name_width);
  for (const ColumnShape& each : kColumns) {
    if (each.dispensable > shape.dispensable) continue;
    line += fmt::format(" {:>{}}", CellOf(row, each.column), each.width);
  }
  return Left(line, width);
}

std::size_t RoomForRows(const TopView& view, const Contact& contact, FullScreen::Size size) {
  const std::size_t others = TopOf(view, contact, size).size() + 2;
  return size.height > others ? size.height - others : 1;
}

std::vector<ScreenLine> Draw(const TopView& view, const Contact& contact, const LocksSample* locks,
                             FullScreen::Size size) {
  std::vector<ScreenLine> lines = TopOf(view, contact, size);
  switch (view.look().page) {
    case TopView::Page::kEntities:
      AddEntities(view, RoomForRows(view, contact, size), size.width, lines);
      break;
    case TopView::Page::kLocks:
      AddLocks(*view.locks_of(), locks, size.width, lines);
      break;
    case TopView::Page::kHelp:
      AddHelp(size.width, lines);
      break;
  }
  lines.resize(size.height > 0 ? size.height - 1 : 0);
  lines.push_back(FooterOf(view, size.width));
  return lines;
}

}  // namespace wharf::tool
