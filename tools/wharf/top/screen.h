// The picture of `wharf top`: a view as lines of a given width. Pure functions; every name in it is
// printable.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/wharf/terminal/full_screen.h"
#include "tools/wharf/top/sample.h"
#include "tools/wharf/top/view.h"

namespace wharf::tool {

// Whether the broker answers.
struct Contact {
  // Where it is.
  std::string address{};
  // Why the last look failed, and for how long none has come; Ok: all is well.
  Status trouble{};
  std::chrono::seconds silent_for{};
};

// How many rows of entities there is room for.
std::size_t RoomForRows(const TopView& view, const Contact& contact, FullScreen::Size size);
// `locks`: those that the view wants; null: they have not come yet.
std::vector<ScreenLine> Draw(const TopView& view, const Contact& contact, const LocksSample* locks,
                             FullScreen::Size size);

// Of a broker, in lines no wider than that.
std::vector<std::string> HeaderOf(const TopFrame& frame, const std::string& address,
                                  std::size_t width);
// Columns under their headings, as far as there is room; the one of the order is marked.
std::string HeadingOf(const TopView::Look& look, std::size_t width);
std::string LineOf(const EntityRow& row, std::size_t width);

// "999", "12.3k", "4.56M": at most six letters.
std::string ShortNumber(double number);
// "3s", "12m05s", "4h07m", "12d03h".
std::string ShortTime(double seconds);
// "512 B", "1.5 KiB".
std::string ShortBytes(double bytes);

}  // namespace wharf::tool
