#include "tools/wharf/top/view.h"

#include <algorithm>
#include <array>
#include <utility>

namespace wharf::tool {
namespace {

using Kind = Key::Kind;

constexpr std::size_t kFilterMax = 260;

// As htop has P, M and T: a column by one letter.
constexpr std::array<std::pair<char, TopColumn>, 9> kLetters = {{{'N', TopColumn::kName},
                                                                 {'A', TopColumn::kAvailable},
                                                                 {'L', TopColumn::kLocked},
                                                                 {'C', TopColumn::kScheduled},
                                                                 {'D', TopColumn::kDead},
                                                                 {'I', TopColumn::kIn},
                                                                 {'O', TopColumn::kOut},
                                                                 {'T', TopColumn::kOldest},
                                                                 {'S', TopColumn::kSize}}};

// The last character of UTF-8.
void DropLast(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

}  // namespace

std::optional<std::string> TopView::locks_of() const {
  if (look_.page != Page::kLocks) return std::nullopt;
  return selected_path_;
}

void TopView::SetFrame(TopFrame frame) {
  frame_ = std::move(frame);
  Arrange();
}

void TopView::Arrange() {
  rows_ = Filtered(frame_.entities, look_.filter);
  Sort(rows_, look_.column, look_.is_reversed);
  const auto found = std::find_if(rows_.begin(), rows_.end(), [this](const EntityRow& row) {
    return row.path == selected_path_;
  });
  const auto at = static_cast<std::size_t>(found - rows_.begin());
  // Whoever has not moved stays at the top.
  const bool is_kept = found != rows_.end() && !selected_path_.empty();
  if (look_.page == Page::kLocks) return;
  Select(is_kept ? at : std::min(selected_, rows_.empty() ? 0 : rows_.size() - 1));
  if (!is_kept && selected_ == 0) selected_path_.clear();
}

void TopView::SetRoom(std::size_t rows) {
  room_ = std::max<std::size_t>(rows, 1);
  if (selected_ < first_) first_ = selected_;
  if (selected_ >= first_ + room_) first_ = selected_ + 1 - room_;
  first_ = std::min(first_, rows_.size() > room_ ? rows_.size() - room_ : 0);
}

void TopView::Select(std::size_t row) {
  selected_ = row;
  selected_path_ = row < rows_.size() ? rows_[row].path : "";
  SetRoom(room_);
}

void TopView::OnKey(const Key& key) {
  if (key.kind == Kind::kInterrupt || key.kind == Kind::kF10) {
    is_ended_ = true;
    return;
  }
  if (look_.is_typing) return OnTyped(key);
  switch (key.kind) {
    case Kind::kText:
      return OnText(key.text[0]);
    case Kind::kEscape:
      if (look_.page == Page::kEntities) look_.filter.clear();
      look_.page = Page::kEntities;
      return Arrange();
    case Kind::kEnter:
      if (look_.page == Page::kEntities && !rows_.empty()) {
        Select(selected_);
        look_.page = Page::kLocks;
      } else {
        look_.page = Page::kEntities;
        Arrange();
      }
      return;
    case Kind::kF1:
      return OnText('h');
    case Kind::kF4:
      return OnText('/');
    case Kind::kF6:
      return ChooseBy(1);
    default:
      return OnMove(key.kind);
  }
}

void TopView::OnText(char letter) {
  for (const auto& [known, column] : kLetters) {
    if (known == letter) return Choose(column);
  }
  switch (letter) {
    case 'q':
      is_ended_ = true;
      return;
    case 'h':
    case '?':
      look_.page = look_.page == Page::kHelp ? Page::kEntities : Page::kHelp;
      return;
    case '/':
      look_.page = Page::kEntities;
      look_.is_typing = true;
      return;
    case '<':
    case ',':
      return ChooseBy(-1);
    case '>':
    case '.':
      return ChooseBy(1);
    case 'R':
      look_.is_reversed = !look_.is_reversed;
      return Arrange();
    case 'k':
      return OnMove(Kind::kUp);
    case 'j':
      return OnMove(Kind::kDown);
    default:
      return;
  }
}

void TopView::OnTyped(const Key& key) {
  if (key.kind == Kind::kEnter) {
    look_.is_typing = false;
  } else if (key.kind == Kind::kEscape) {
    look_.is_typing = false;
    look_.filter.clear();
  } else if (key.kind == Kind::kBackspace) {
    DropLast(look_.filter);
  } else if (key.kind == Kind::kText && look_.filter.size() + key.text.size() <= kFilterMax) {
    look_.filter += key.text;
  }
  Arrange();
}

void TopView::OnMove(Kind kind) {
  if (look_.page != Page::kEntities || rows_.empty()) return;
  const std::size_t last = rows_.size() - 1;
  if (kind == Kind::kUp) Select(selected_ - std::min<std::size_t>(selected_, 1));
  if (kind == Kind::kDown) Select(std::min(selected_ + 1, last));
  if (kind == Kind::kPageUp) Select(selected_ - std::min(selected_, room_));
  if (kind == Kind::kPageDown) Select(std::min(selected_ + room_, last));
  if (kind == Kind::kHome) Select(0);
  if (kind == Kind::kEnd) Select(last);
}

// The same column once more is the other way round.
void TopView::Choose(TopColumn column) {
  look_.is_reversed = look_.column == column && !look_.is_reversed;
  look_.column = column;
  Arrange();
}

void TopView::ChooseBy(int steps) {
  const int count = static_cast<int>(kTopColumnCount);
  const int next = (static_cast<int>(look_.column) + steps + count) % count;
  look_.is_reversed = false;
  look_.column = static_cast<TopColumn>(next);
  Arrange();
}

}  // namespace wharf::tool
