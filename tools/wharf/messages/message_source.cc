#include "tools/wharf/messages/message_source.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/terminal/input_file.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kMessageBytesMax = 256 << 20;

v1::Message WithBody(const v1::Message& base, std::string body) {
  v1::Message message = base;
  message.set_body(std::move(body));
  return message;
}

Status TooLong(const std::string& what) {
  return {ErrorCode::kArgumentError,
          fmt::format("{} is longer than {} MiB, more than any queue takes", what,
                      kMessageBytesMax >> 20)};
}

// The lines of a file, one after the other.
class LineReader {
 public:
  // Both outlive it.
  LineReader(InputFile& input, const Interruption& interruption)
      : input_(input), interruption_(interruption) {}

  // Without its line feed, and good until the next call. None at the end.
  Result<std::optional<std::string_view>> Next() {
    ++number_;
    std::size_t searched = begin_;
    while (true) {
      const std::size_t end = bytes_.find('\n', searched);
      if (end != std::string::npos) return Take(end, end + 1);
      searched = bytes_.size() - begin_;
      bytes_.erase(0, std::exchange(begin_, 0));
      if (bytes_.size() > kMessageBytesMax) return TooLong(where());
      const Result<std::size_t> count = ReadOn();
      if (!count.ok()) return count.status();
      if (*count == 0) return TakeLast();
    }
  }

  std::string where() const { return fmt::format("{} line {}", input_.name(), number_); }

 private:
  Result<std::size_t> ReadOn() {
    const std::size_t size = bytes_.size();
    bytes_.resize(size + kReadBytes);
    Result<std::size_t> count = input_.Read(bytes_.data() + size, kReadBytes, interruption_);
    bytes_.resize(size + (count.ok() ? *count : 0));
    return count;
  }

  // A last line may do without a line feed, but was complete only if the file ended behind it.
  std::optional<std::string_view> TakeLast() {
    if (bytes_.empty() || interruption_.is_raised()) return std::nullopt;
    return Take(bytes_.size(), bytes_.size());
  }

  std::optional<std::string_view> Take(std::size_t end, std::size_t next) {
    const std::string_view line = std::string_view(bytes_).substr(begin_, end - begin_);
    begin_ = next;
    return line;
  }

  static constexpr std::size_t kReadBytes = 64 << 10;

  InputFile& input_;
  const Interruption& interruption_;
  std::string bytes_;
  std::size_t begin_ = 0;  // Of the next line.
  std::uint64_t number_ = 0;
};

// Of Windows, a line ends in two characters.
std::string_view WithoutCarriageReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<v1::Message> MessageOfLine(std::string_view line, MessageSource::Unit unit,
                                  const v1::Message& base) {
  if (unit == MessageSource::Unit::kJsonLine) return MessageFromJsonText(line, base);
  return WithBody(base, std::string(WithoutCarriageReturn(line)));
}

// Whether more messages are wanted.
Result<bool> ReadLines(InputFile& input, MessageSource::Unit unit, const v1::Message& base,
                       const Interruption& interruption, const MessageSink& sink) {
  LineReader lines(input, interruption);
  while (true) {
    const Result<std::optional<std::string_view>> line = lines.Next();
    if (!line.ok()) return line.status();
    if (!line->has_value()) return !interruption.is_raised();
    Result<v1::Message> message = MessageOfLine(**line, unit, base);
    if (!message.ok()) {
      return Status(ErrorCode::kArgumentError,
                    fmt::format("{}: {}", lines.where(), message.status().message()));
    }
    if (!sink(*std::move(message))) return false;
  }
}

// In blocks: a file may have a hundred megabytes.
Result<std::string> ReadAll(InputFile& input, const Interruption& interruption) {
  std::string bytes;
  while (bytes.size() <= kMessageBytesMax) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kBlockBytes);
    const Result<std::size_t> count = input.Read(bytes.data() + size, kBlockBytes, interruption);
    if (!count.ok()) return count.status();
    bytes.resize(size + *count);
    if (*count == 0) return bytes;
  }
  return TooLong(input.name());
}

Result<bool> ReadFile(const std::string& name, MessageSource::Unit unit, const v1::Message& base,
                      const Interruption& interruption, const MessageSink& sink) {
  Result<InputFile> input = InputFile::Open(name);
  if (!input.ok()) return input.status();
  if (unit != MessageSource::Unit::kFile) {
    return ReadLines(*input, unit, base, interruption, sink);
  }
  Result<std::string> body = ReadAll(*input, interruption);
  if (!body.ok()) return body.status();
  return !interruption.is_raised() && sink(WithBody(base, *std::move(body)));
}

}  // namespace

Status ReadMessages(const MessageSource& source, const v1::Message& base,
                    const Interruption& interruption, const MessageSink& sink) {
  for (const std::string& name : source.files) {
    WHARF_RETURN_IF_ERROR(InputFile::Open(name).status());
  }
  for (const std::string& body : source.bodies) {
    if (interruption.is_raised() || !sink(WithBody(base, body))) return Status::Ok();
  }
  for (const std::string& name : source.files) {
    const Result<bool> goes_on = ReadFile(name, source.unit, base, interruption, sink);
    if (!goes_on.ok()) return goes_on.status();
    if (!*goes_on) break;
  }
  return Status::Ok();
}

}  // namespace wharf::tool
