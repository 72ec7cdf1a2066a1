#include "tools/wharf/transfer/made_id.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <openssl/sha.h>

#include "absl/strings/escaping.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/messages/message_json.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kDigestBytes = 16;

bool HasText(const Json& line, std::string_view key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string();
}

// Maps in one order: protobuf has another one in every process.
void AppendMessage(const v1::Message& message, std::string& bytes) {
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
}

std::string DigestOf(const std::string& bytes) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  const auto* begin = reinterpret_cast<const char*>(digest.data());
  return absl::BytesToHexString(absl::string_view(begin, kDigestBytes));
}

}  // namespace

Result<std::string> MakeId(const Json& line, const v1::Message& message) {
  const auto number = line.find("sequence_number");
  const bool is_export =
      number != line.end() && number->is_number_integer() && HasText(line, "enqueued_time");
  if (!is_export) {
    return Status(ErrorCode::kArgumentError,
                  "it has no message_id, and none can be made without the sequence_number and the "
                  "enqueued_time of an export");
  }
  const std::string entity =
      SaysEntity(line) ? FoldPath(line.find(kEntityPathKey)->get_ref<const std::string&>()) : "";
  const auto& time = line.find("enqueued_time")->get_ref<const std::string&>();
  // The lengths are said: nobody can write a path that feigns another one's number.
  std::string bytes = fmt::format("{}:{} {} {}:{}", entity.size(), entity,
                                  number->get<std::int64_t>(), time.size(), time);
  AppendMessage(message, bytes);
  return fmt::format("exported-{}-{}", number->get<std::int64_t>(), DigestOf(bytes));
}

bool SaysEntity(const Json& line) { return HasText(line, kEntityPathKey); }

}  // namespace wharf::tool
