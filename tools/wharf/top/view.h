// TopView: what of the frame somebody looks at, and how, and what the keys make of that.
//
// The selection stays on an entity while others move around it. A value without a terminal; used by
// `wharf top`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/wharf/terminal/full_screen.h"
#include "tools/wharf/terminal/keys.h"
#include "tools/wharf/top/frame.h"

namespace wharf::tool {

class TopView {
 public:
  enum class Page { kEntities, kLocks, kHelp };
  // How the view came to be what it is, for those who draw it.
  struct Look {
    Page page = Page::kEntities;
    TopColumn column = TopColumn::kAvailable;
    bool is_reversed = false;
    std::string filter{};
    // The filter is being typed.
    bool is_typing = false;
  };

  explicit TopView(Look look) : look_(std::move(look)) {}

  const Look& look() const { return look_; }
  bool is_ended() const { return is_ended_; }
  // Of what the locks are wanted; none: they are not looked at.
  std::optional<std::string> locks_of() const;

  void SetFrame(TopFrame frame);
  const TopFrame& frame() const { return frame_; }
  // Filtered and sorted.
  const std::vector<EntityRow>& rows() const { return rows_; }
  // Which row is selected, and which is the first that is shown.
  std::size_t selected() const { return selected_; }
  std::size_t first() const { return first_; }

  void OnKey(const Key& key);
  // There is room for so many rows.
  void SetRoom(std::size_t rows);

 private:
  void OnText(char letter);
  void OnTyped(const Key& key);
  void OnMove(Key::Kind kind);
  void Choose(TopColumn column);
  void ChooseBy(int steps);
  void Arrange();
  void Select(std::size_t row);

  Look look_;
  bool is_ended_ = false;
  TopFrame frame_;
  std::vector<EntityRow> rows_;
  std::size_t selected_ = 0;
  // The path of it; empty: what is first, whichever that is.
  std::string selected_path_;
  std::size_t first_ = 0;
  std::size_t room_ = 1;
};

}  // namespace wharf::tool
