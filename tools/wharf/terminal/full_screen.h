// FullScreen: a terminal that shows one picture, which changes, instead of lines that follow each
// other.
//
// The terminal is as it was before when this goes, when a signal ends the process, and while Ctrl-Z
// or SIGTSTP stops it. What others must not write there meanwhile, nobody writes. Used by `wharf
// top`, on the main thread; one exists at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "tools/wharf/terminal/keys.h"
#include "tools/wharf/terminal/output.h"

namespace wharf::tool {

// A line of the picture: printable, not wider than the screen, and how it is set off.
struct ScreenLine {
  enum class Look { kPlain, kBold, kReverse, kAlarm };

  std::string text;
  Look look = Look::kPlain;
};

class FullScreen {
 public:
  struct Size {
    std::size_t width = 80;
    std::size_t height = 24;
  };
  // What woke it.
  struct Happened {
    std::vector<Key> keys{};
    // The window has another size, or was painted over.
    bool is_stale = false;
    // A signal wants an end.
    bool is_ended = false;
  };

  // Takes the terminal that `out` is and that the keys come from. Fails if it cannot.
  static Result<std::unique_ptr<FullScreen>> Take(Output& out);
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  Size size() const;
  // As many lines as there is room for; what is below them is empty.
  void Show(const std::vector<ScreenLine>& lines);
  // Until something happens there, or `wake` can be read from; at most so long. While SIGTSTP has
  // stopped the process it waits, too.
  Happened Wait(int wake, std::chrono::milliseconds patience);
  // As Ctrl-Z does: gives the terminal back until somebody says `fg`, or sends SIGCONT.
  void Suspend();

 private:
  explicit FullScreen(Output& out);

  Status Enter();
  void Leave();

  Output& out_;
  KeyReader keys_;
  bool is_entered_ = false;
};

}  // namespace wharf::tool
