#include "tools/wharf/transfer/import_reader.h"

#include <utility>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/transfer/made_id.h"

namespace wharf::tool {
namespace {

// Of a body: more goes in chunks.
constexpr std::size_t kBodyBytesMax = 1 << 20;

}  // namespace

bool ImportBatch::is_large() const {
  return messages.size() == 1 && messages.front().body().size() > kBodyBytesMax;
}

Result<ImportBatch> ImportReader::Next() {
  ImportBatch batch;
  if (waiting_line_ != 0) TakeInto(batch, std::move(waiting_), std::exchange(waiting_line_, 0));
  while (batch.messages.size() < options_.messages_max) {
    const auto line = lines_.Next();
    if (!line.ok()) return line.status();
    if (!line->has_value()) break;
    if (lines_.number() < options_.from_line) continue;
    Result<v1::Message> message = MessageOf(**line);
    if (!message.ok()) {
      Complain(message.status());
      continue;
    }
    if (!message->has_message_id()) ++without_id_;
    if (!TakeInto(batch, *std::move(message), lines_.number())) break;
  }
  return batch;
}

Result<v1::Message> ImportReader::MessageOf(std::string_view line) {
  const Result<Json> json = MessageJsonOf(line);
  if (!json.ok()) return json.status();
  Result<v1::Message> message = MessageFromJson(*json);
  if (!message.ok() || !options_.makes_ids || message->has_message_id()) return message;
  Result<std::string> id = MakeId(*json, *message);
  if (!id.ok()) return id.status();
  if (!SaysEntity(*json)) ++without_entity_;
  message->set_message_id(*std::move(id));
  return message;
}

void ImportReader::Complain(const Status& status) {
  if (bad_count_++ == 0) first_bad_line_ = lines_.number();
  if (complaints_.size() >= kComplaintsMax) return;
  complaints_.push_back(fmt::format("{}: {}", lines_.where(), status.message()));
}

bool ImportReader::TakeInto(ImportBatch& batch, v1::Message&& message, std::uint64_t line) {
  const std::size_t bytes = message.ByteSizeLong();
  if (!batch.empty() && batch.bytes + bytes > bytes_max_) {
    waiting_ = std::move(message);
    waiting_line_ = line;
    return false;
  }
  if (batch.empty()) batch.first_line = line;
  batch.last_line = line;
  batch.bytes += bytes;
  batch.messages.push_back(std::move(message));
  return true;
}

}  // namespace wharf::tool
