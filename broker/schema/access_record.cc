#include "broker/schema/access_record.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kFirstVersion = 1;
constexpr std::uint8_t kReplacedKeysVersion = 2;

void WriteReplacedKeys(ByteWriter& writer, const std::vector<access::KeyPrint>& prints) {
  writer.Varint(prints.size());
  for (const access::KeyPrint& print : prints) {
    writer.Raw({reinterpret_cast<const char*>(print.data()), print.size()});
  }
}

std::vector<access::KeyPrint> ReadReplacedKeys(ByteReader& reader) {
  const std::uint64_t count = reader.Varint();
  std::vector<access::KeyPrint> prints;
  if (count == 0 || count > access::kReplacedKeysMax) reader.Fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    access::KeyPrint print{};
    const std::string_view bytes = reader.Raw(print.size());
    std::copy(bytes.begin(), bytes.end(), print.begin());
    prints.push_back(print);
  }
  return prints;
}

}  // namespace

std::string EncodeAccessRule(const access::AccessRule& rule) {
  std::string record;
  ByteWriter writer(record);
  const bool has_replaced = !rule.replaced_keys().empty();
  writer.Byte(has_replaced ? kReplacedKeysVersion : kFirstVersion);
  writer.Text(rule.name());
  writer.Byte(rule.rights().bits());
  writer.Text(rule.key(access::KeySlot::kPrimary));
  writer.Text(rule.key(access::KeySlot::kSecondary));
  WriteTime(writer, rule.created_at());
  if (has_replaced) WriteReplacedKeys(writer, rule.replaced_keys());
  return record;
}

Result<access::AccessRule> DecodeAccessRule(std::string_view record) {
  ByteReader reader(record);
  const std::uint8_t version = reader.Byte();
  if (version != kFirstVersion && version != kReplacedKeysVersion) reader.Fail();
  std::string name(reader.Text());
  const std::uint8_t bits = reader.Byte();
  const access::Rights rights = access::Rights::OfBits(bits);
  std::string primary(reader.Text());
  std::string secondary(reader.Text());
  const Timestamp created_at = ReadTime(reader);
  std::vector<access::KeyPrint> replaced;
  if (version == kReplacedKeysVersion) replaced = ReadReplacedKeys(reader);
  const bool is_rule = rights.bits() == bits && !rights.empty() && !primary.empty() &&
                       !secondary.empty() && access::CheckAccessRuleName(name).ok();
  if (reader.is_whole() && is_rule) {
    return access::AccessRule(std::move(name), rights, std::move(primary), std::move(secondary),
                              created_at)
        .Remembering(std::move(replaced));
  }
  return Status(ErrorCode::kGeneralError, "a record of the access rules is damaged");
}

}  // namespace wharf
