#include "broker/doors/amqp/message/body_walk.h"

#include <algorithm>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/types/composites.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kLimits{};
// Descriptors may be symbols, and a value may have some of its own.
constexpr std::size_t kBeginBytesMax = 1024;

bool IsVariable(std::uint8_t format_code) { return format_code >> 4 >= 0xa; }

std::uint64_t NumberIn(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = (number << 8) | static_cast<std::uint8_t>(byte);
  return number;
}

bool MayHave(std::uint64_t code, Type type) {
  if (code == descriptor::kData) return type == Type::kBinary;
  if (code == descriptor::kAmqpSequence) return type == Type::kList;
  return true;
}

Status Wrong(std::string_view what) { return {ErrorCode::kArgumentError, std::string(what)}; }

}  // namespace

Result<std::optional<BodyWalk::Begin>> BodyWalk::ReadBegin(std::string_view bytes) {
  Reader reader(bytes, kLimits);
  reader.EnterDescribed();
  Begin begin{.code = ReadDescriptor(reader)};
  // What a value is described by is its own.
  while (begin.code == descriptor::kAmqpValue && reader.ok() && reader.rest().starts_with('\0')) {
    reader.EnterDescribed();
    reader.TakeEncoded();
  }
  if (reader.has_run_out()) return std::optional<Begin>();
  if (!reader.ok()) return Wrong(reader.error());
  const std::string_view rest = reader.rest();
  if (begin.code == descriptor::kFooter) return std::optional(begin);
  if (rest.empty()) return std::optional<Begin>();
  const auto format_code = static_cast<std::uint8_t>(rest[0]);
  const std::optional<Type> type = TypeOf(format_code);
  if (!type.has_value() || !MayHave(begin.code, *type)) {
    return Wrong("a section of the body that has not the type that it should");
  }
  const std::size_t width = WidthOf(format_code);
  begin.head_bytes = reader.position() + 1;
  begin.content_bytes = width;
  if (!IsVariable(format_code)) return std::optional(begin);
  if (rest.size() <= width) return std::optional<Begin>();
  begin.head_bytes += width;
  begin.content_bytes = NumberIn(rest.substr(1, width));
  return std::optional(begin);
}

Status BodyWalk::CheckPlace(std::uint64_t code) const {
  const bool is_body = code == descriptor::kData || code == descriptor::kAmqpSequence ||
                       code == descriptor::kAmqpValue;
  const bool is_next = !code_.has_value() || (code == *code_ && code != descriptor::kAmqpValue);
  return is_body && is_next ? Status() : Wrong("a section that has no place behind the body");
}

Status BodyWalk::TakeBegin(std::string_view& piece, std::string& body, std::string& tail) {
  const std::size_t before = begun_.size();
  // Nearly always a section begins in one piece, and is read where it stands.
  if (before > 0) begun_ += piece.substr(0, kBeginBytesMax - std::min(kBeginBytesMax, before));
  const std::string_view seen =
      before > 0 ? std::string_view(begun_) : piece.substr(0, kBeginBytesMax);
  const Result<std::optional<Begin>> begin = ReadBegin(seen);
  if (!begin.ok()) return begin.status();
  if (!begin->has_value()) {
    if (seen.size() >= kBeginBytesMax) return Wrong("the section of a body begins for too long");
    if (before == 0) begun_ = seen;
    piece = {};
    return {};
  }
  const Begin& found = **begin;
  if (found.code == descriptor::kFooter && code_.has_value()) {
    is_over_ = true;
    tail += seen.substr(0, before);
    begun_.clear();
    return {};
  }
  WHARF_RETURN_IF_ERROR(CheckPlace(found.code));
  code_ = found.code;
  content_left_ = found.content_bytes;
  body += seen.substr(0, found.head_bytes);
  piece.remove_prefix(found.head_bytes - before);
  begun_.clear();
  return {};
}

Status BodyWalk::Take(std::string_view piece, std::string& body, std::string& tail) {
  while (!piece.empty() && !is_over_) {
    if (content_left_ == 0) {
      WHARF_RETURN_IF_ERROR(TakeBegin(piece, body, tail));
      continue;
    }
    const auto taken =
        static_cast<std::size_t>(std::min<std::uint64_t>(content_left_, piece.size()));
    body += piece.substr(0, taken);
    piece.remove_prefix(taken);
    content_left_ -= taken;
  }
  tail += piece;
  return {};
}

Status BodyWalk::CheckEnd() const {
  const bool is_whole = content_left_ == 0 && begun_.empty() && code_.has_value();
  return is_whole ? Status() : Wrong("a message that ends within its body");
}

}  // namespace wharf::amqp
