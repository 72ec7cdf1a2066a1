// LineReader: the lines of a file, one after the other, with their numbers.
//
// Reads as it goes: no more than a line and a block are in memory. Used by what reads messages line
// by line, on the main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/terminal/input_file.h"
#include "tools/wharf/terminal/interruption.h"

namespace wharf::tool {

class LineReader {
 public:
  // Of a line, or a file that is one message: more than any queue takes.
  static constexpr std::size_t kBytesMax = 256 << 20;
  // ArgumentError, for `what`.
  static Status TooLong(const std::string& what);

  // Both outlive it.
  LineReader(InputFile& input, const Interruption& interruption)
      : input_(input), interruption_(interruption) {}

  // Without its line feed, and good until the next call. None at the end.
  Result<std::optional<std::string_view>> Next();

  // Of the line that Next has given, counted from 1.
  std::uint64_t number() const { return number_; }
  // For people: "FILE line 3".
  std::string where() const;

 private:
  static constexpr std::size_t kReadBytes = 64 << 10;

  Result<std::size_t> ReadOn();
  // A last line may do without a line feed, but was complete only if the file ended behind it.
  std::optional<std::string_view> TakeLast();
  std::optional<std::string_view> Take(std::size_t end, std::size_t next);

  InputFile& input_;
  const Interruption& interruption_;
  std::string bytes_;
  std::size_t begin_ = 0;  // Of the next line.
  std::uint64_t number_ = 0;
};

}  // namespace wharf::tool
