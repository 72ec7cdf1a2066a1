#include "broker/doors/amqp/message/data_stream.h"

#include <utility>

#include <fmt/format.h>

#include "broker/doors/amqp/types/composites.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

// A descriptor may be a symbol, in its long form.
constexpr std::size_t kHeadBytesMax = 64;

Status NoBody(std::string what) { return {ErrorCode::kArgumentError, std::move(what)}; }

}  // namespace

Status DataStream::Feed(std::string_view piece, const Sink& sink) {
  while (!piece.empty()) {
    if (is_footer_) {
      if (piece.size() > footer_bytes_max_ - footer_.size()) {
        return NoBody(fmt::format("a footer of more than {} bytes", footer_bytes_max_));
      }
      footer_ += piece;
      return Status::Ok();
    }
    if (left_ == 0) {
      WHARF_RETURN_IF_ERROR(TakeHead(piece));
      continue;
    }
    const std::string_view data = piece.substr(0, left_);
    sink(data);
    left_ -= data.size();
    piece.remove_prefix(data.size());
  }
  return Status::Ok();
}

Status DataStream::TakeHead(std::string_view& piece) {
  bool is_whole = false;
  while (!is_whole && !piece.empty()) {
    if (head_.size() == kHeadBytesMax) return NoBody("no head of a section");
    head_ += piece[0];
    piece.remove_prefix(1);
    WHARF_RETURN_IF_ERROR(OnHead(is_whole));
  }
  return Status::Ok();
}

Status DataStream::OnHead(bool& is_whole) {
  Reader reader(head_, limits_);
  reader.EnterDescribed();
  const std::uint64_t code = ReadDescriptor(reader);
  if (reader.has_run_out()) return Status::Ok();
  if (!reader.ok()) return NoBody(reader.error());
  if (code == descriptor::kFooter && sections_ > 0) {
    is_footer_ = is_whole = true;
    footer_ = std::exchange(head_, {});
    return Status::Ok();
  }
  if (code != descriptor::kData) return NoBody("a section that has no place behind data");
  const std::string_view rest = reader.rest();
  if (rest.empty()) return Status::Ok();
  const auto format_code = static_cast<std::uint8_t>(rest[0]);
  if (TypeOf(format_code) != Type::kBinary) return NoBody("data of another type than binary");
  const std::size_t width = WidthOf(format_code);
  if (rest.size() <= width) return Status::Ok();
  for (const char byte : rest.substr(1, width))
    left_ = (left_ << 8) | static_cast<std::uint8_t>(byte);
  ++sections_;
  is_whole = true;
  head_.clear();
  return Status::Ok();
}

Status DataStream::Finish() {
  if (left_ > 0 || !head_.empty()) return NoBody("a message that ends within a section");
  if (sections_ == 0) return NoBody("a message without a body");
  if (!is_footer_) return Status::Ok();
  Reader reader(footer_, limits_);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  if (reader.ok() && reader.PeekType() != Type::kMap) reader.Fail("a footer that is no map");
  reader.TakeEncoded();
  if (reader.ok() && !reader.at_end()) reader.Fail("bytes behind the footer");
  return reader.ok() ? Status::Ok() : NoBody(reader.error());
}

}  // namespace wharf::amqp
