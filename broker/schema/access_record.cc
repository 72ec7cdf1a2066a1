#include "broker/schema/access_record.h"

#include <utility>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kAccessRuleVersion = 1;

}  // namespace

std::string EncodeAccessRule(const access::AccessRule& rule) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kAccessRuleVersion);
  writer.Text(rule.name());
  writer.Byte(rule.rights().bits());
  writer.Text(rule.key(access::KeySlot::kPrimary));
  writer.Text(rule.key(access::KeySlot::kSecondary));
  WriteTime(writer, rule.created_at());
  return record;
}

Result<access::AccessRule> DecodeAccessRule(std::string_view record) {
  ByteReader reader(record);
  if (reader.Byte() != kAccessRuleVersion) reader.Fail();
  std::string name(reader.Text());
  const std::uint8_t bits = reader.Byte();
  const access::Rights rights = access::Rights::OfBits(bits);
  std::string primary(reader.Text());
  std::string secondary(reader.Text());
  const Timestamp created_at = ReadTime(reader);
  const bool is_rule = rights.bits() == bits && !rights.empty() && !primary.empty() &&
                       !secondary.empty() && access::CheckAccessRuleName(name).ok();
  if (reader.is_whole() && is_rule) {
    return access::AccessRule(std::move(name), rights, std::move(primary), std::move(secondary),
                              created_at);
  }
  return Status(ErrorCode::kGeneralError, "a record of the access rules is damaged");
}

}  // namespace wharf
