#include "tools/wharf/message_source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/message_json.h"

namespace wharf::tool {
namespace {

v1::Message WithBody(const v1::Message& base, std::string body) {
  v1::Message message = base;
  message.set_body(std::move(body));
  return message;
}

// In blocks: a file may have a hundred megabytes.
std::string ReadAll(std::istream& input) {
  constexpr std::size_t kBlockBytes = 1 << 20;
  std::string bytes;
  std::size_t size = 0;
  do {
    bytes.resize(size + kBlockBytes);
    input.read(bytes.data() + size, kBlockBytes);
    size += static_cast<std::size_t>(input.gcount());
  } while (input);
  bytes.resize(size);
  return bytes;
}

Result<v1::Message> MessageOfLine(const std::string& line, MessageSource::Unit unit,
                                  const v1::Message& base) {
  if (unit == MessageSource::Unit::kJsonLine) return MessageFromJsonText(line, base);
  return WithBody(base, line);
}

Status ReadLines(std::istream& input, const std::string& name, MessageSource::Unit unit,
                 const v1::Message& base, const MessageSink& sink) {
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    Result<v1::Message> message = MessageOfLine(line, unit, base);
    if (!message.ok()) {
      return {ErrorCode::kArgumentError,
              fmt::format("{} line {}: {}", name, number, message.status().message())};
    }
    if (!sink(*std::move(message))) break;
  }
  return Status::Ok();
}

}  // namespace

Status ReadMessagesFrom(std::istream& input, const std::string& name, MessageSource::Unit unit,
                        const v1::Message& base, const MessageSink& sink) {
  if (unit != MessageSource::Unit::kFile) return ReadLines(input, name, unit, base, sink);
  sink(WithBody(base, ReadAll(input)));
  return Status::Ok();
}

Status ReadMessages(const MessageSource& source, const v1::Message& base, const MessageSink& sink) {
  for (const std::string& body : source.bodies) {
    if (!sink(WithBody(base, body))) return Status::Ok();
  }
  for (const std::string& name : source.files) {
    if (name == "-") {
      WHARF_RETURN_IF_ERROR(ReadMessagesFrom(std::cin, "stdin", source.unit, base, sink));
      continue;
    }
    std::ifstream file(name, std::ios::binary);
    if (!file) {
      return {ErrorCode::kArgumentError,
              fmt::format("{} cannot be read: {}", name, std::strerror(errno))};
    }
    WHARF_RETURN_IF_ERROR(ReadMessagesFrom(file, name, source.unit, base, sink));
  }
  return Status::Ok();
}

}  // namespace wharf::tool
