#include "tools/wharf/terminal/line_reader.h"

#include <utility>

#include <fmt/core.h>

namespace wharf::tool {

Status LineReader::TooLong(const std::string& what) {
  return {
      ErrorCode::kArgumentError,
      fmt::format("{} is longer than {} MiB, more than any queue takes", what, kBytesMax >> 20)};
}

Result<std::optional<std::string_view>> LineReader::Next() {
  ++number_;
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = bytes_.find('\n', searched);
    if (end != std::string::npos) return Take(end, end + 1);
    searched = bytes_.size() - begin_;
    bytes_.erase(0, std::exchange(begin_, 0));
    if (bytes_.size() > kBytesMax) return TooLong(where());
    const Result<std::size_t> count = ReadOn();
    if (!count.ok()) return count.status();
    if (*count == 0) return TakeLast();
  }
}

std::string LineReader::where() const { return fmt::format("{} line {}", input_.name(), number_); }

Result<std::size_t> LineReader::ReadOn() {
  const std::size_t size = bytes_.size();
  bytes_.resize(size + kReadBytes);
  Result<std::size_t> count = input_.Read(bytes_.data() + size, kReadBytes, interruption_);
  bytes_.resize(size + (count.ok() ? *count : 0));
  return count;
}

std::optional<std::string_view> LineReader::TakeLast() {
  if (bytes_.empty() || interruption_.is_raised()) return std::nullopt;
  return Take(bytes_.size(), bytes_.size());
}

std::optional<std::string_view> LineReader::Take(std::size_t end, std::size_t next) {
  const std::string_view line = std::string_view(bytes_).substr(begin_, end - begin_);
  begin_ = next;
  return line;
}

}  // namespace wharf::tool
