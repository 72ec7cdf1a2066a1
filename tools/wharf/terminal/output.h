// Output: one of the standard streams; nothing of `wharf` reaches stdout or stderr by another way.
//
// Program has one for each. A write that fails ends nothing and throws nothing: the first failure
// is remembered, what follows it is dropped, and the program asks at its end. Any thread may write;
// what a call writes stays together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/text/json.h"

namespace wharf::tool {

class Output {
 public:
  // `file` is open as long as this is used, and nobody else writes to it.
  explicit Output(std::FILE* file);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Text of one or several lines; on a terminal it is printable, whatever it quotes.
  template <typename... Values>
  void Print(fmt::format_string<Values...> format, Values&&... values) {
    PrintText(fmt::format(format, std::forward<Values>(values)...));
  }
  // A line.
  void PrintJson(const Json& json);
  // Bytes exactly as they are.
  void Write(std::string_view bytes);
  // Hands on what is still in memory. False if anything could not be written, now or before.
  bool Flush();

  // Of the first write that failed, an errno; 0 as long as all is well.
  int error() const { return error_; }
  bool is_broken() const { return error_ != 0; }
  // Whoever reads us has enough, as `head` has: no reason to complain.
  bool is_reader_gone() const;

  int descriptor() const { return descriptor_; }
  bool is_terminal() const { return is_terminal_; }
  // In columns: $COLUMNS, else that of the terminal, else 80. It changes with the window.
  std::size_t width() const;

 private:
  void PrintText(const std::string& text);
  void NoteFailure();

  // Constant after construction.
  std::FILE* const file_;
  const int descriptor_;
  const bool is_terminal_;

  std::atomic<int> error_ = 0;
};

// A standard stream that is closed would become the first file or connection that we open, and take
// what is printed. Call before anything is opened: what uses it then fails with EBADF.
void ReserveStandardStreams();

}  // namespace wharf::tool
