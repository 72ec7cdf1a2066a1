#include "tools/wharf/messages/message_source.h"

#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/terminal/input_file.h"
#include "tools/wharf/terminal/line_reader.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

v1::Message WithBody(const v1::Message& base, std::string body) {
  v1::Message message = base;
  message.set_body(std::move(body));
  return message;
}

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
  while (bytes.size() <= LineReader::kBytesMax) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kBlockBytes);
    const Result<std::size_t> count = input.Read(bytes.data() + size, kBlockBytes, interruption);
    if (!count.ok()) return count.status();
    bytes.resize(size + *count);
    if (*count == 0) return bytes;
  }
  return LineReader::TooLong(input.name());
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
