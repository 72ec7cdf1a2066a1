#include "tools/wharf/transfer/import_reader.h"

#include <utility>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {
namespace {

// Of a body: more goes in chunks.
constexpr std::size_t kBodyBytesMax = 1 << 20;
// Of an atomic request, with room for what the entity adds.
constexpr std::size_t kBatchBytesMax = 768 << 10;

// The same for the same message of the same export, and for no other one.
Result<std::string> IdOf(const Json& json) {
  const bool is_export = json.contains("sequence_number") &&
                         json["sequence_number"].is_number_integer() &&
                         json.contains("enqueued_time") && json["enqueued_time"].is_string();
  if (!is_export) {
    return Status(ErrorCode::kArgumentError,
                  "it has no message_id, and none can be made without the sequence_number and the "
                  "enqueued_time of an export");
  }
  return fmt::format("exported-{}-{}", json["sequence_number"].get<std::int64_t>(),
                     json["enqueued_time"].get<std::string>());
}

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

Result<v1::Message> ImportReader::MessageOf(std::string_view line) const {
  Result<v1::Message> message = MessageFromJsonText(line);
  if (!message.ok() || !options_.makes_ids || message->has_message_id()) return message;
  const Result<std::string> id = IdOf(Json::parse(line));
  if (!id.ok()) return id.status();
  message->set_message_id(*id);
  return message;
}

void ImportReader::Complain(const Status& status) {
  if (bad_count_++ == 0) first_bad_line_ = lines_.number();
  if (complaints_.size() >= kComplaintsMax) return;
  complaints_.push_back(fmt::format("{}: {}", lines_.where(), status.message()));
}

bool ImportReader::TakeInto(ImportBatch& batch, v1::Message&& message, std::uint64_t line) {
  const std::size_t bytes = message.ByteSizeLong();
  if (!batch.empty() && batch.bytes + bytes > kBatchBytesMax) {
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
