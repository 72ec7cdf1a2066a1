#include "broker/schema/rule_record.h"

#include <array>
#include <utility>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kRuleVersion = 1;
constexpr std::uint8_t kHasAction = 1;

using CorrelationText = std::optional<std::string> CorrelationFilter::*;
// The order of the bits on disk.
constexpr std::array<CorrelationText, 8> kCorrelationTexts = {
    &CorrelationFilter::correlation_id,
    &CorrelationFilter::message_id,
    &CorrelationFilter::to,
    &CorrelationFilter::reply_to,
    &CorrelationFilter::subject,
    &CorrelationFilter::session_id,
    &CorrelationFilter::reply_to_session_id,
    &CorrelationFilter::content_type};

void WriteSql(ByteWriter& writer, const SqlText& sql) {
  writer.Text(sql.text);
  WriteProperties(writer, sql.parameters);
}

SqlText ReadSql(ByteReader& reader) {
  SqlText sql;
  sql.text = std::string(reader.Text());
  sql.parameters = ReadProperties(reader);
  return sql;
}

void WriteCorrelation(ByteWriter& writer, const CorrelationFilter& filter) {
  std::uint8_t bits = 0;
  for (std::size_t i = 0; i < kCorrelationTexts.size(); ++i) {
    if (filter.*kCorrelationTexts.at(i)) bits |= static_cast<std::uint8_t>(1U << i);
  }
  writer.Byte(bits);
  for (const CorrelationText text : kCorrelationTexts) {
    if (filter.*text) writer.Text(*(filter.*text));
  }
  WriteProperties(writer, filter.application_properties);
}

CorrelationFilter ReadCorrelation(ByteReader& reader) {
  CorrelationFilter filter;
  const std::uint8_t bits = reader.Byte();
  for (std::size_t i = 0; i < kCorrelationTexts.size(); ++i) {
    if ((bits & (1U << i)) != 0) filter.*kCorrelationTexts.at(i) = std::string(reader.Text());
  }
  filter.application_properties = ReadProperties(reader);
  return filter;
}

RuleFilter ReadFilter(ByteReader& reader, std::uint8_t kind) {
  if (kind == RuleFilter(TrueFilter()).index()) return TrueFilter();
  if (kind == RuleFilter(FalseFilter()).index()) return FalseFilter();
  if (kind == RuleFilter(SqlText()).index()) return ReadSql(reader);
  if (kind == RuleFilter(CorrelationFilter()).index()) return ReadCorrelation(reader);
  reader.Fail();
  return FalseFilter();
}

}  // namespace

std::string EncodeRule(const RuleDescription& rule) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kRuleVersion);
  writer.Text(rule.name);
  WriteTime(writer, rule.created_at);
  writer.Byte(static_cast<std::uint8_t>(rule.filter.index()));
  writer.Byte(rule.action ? kHasAction : 0);
  if (const auto* sql = std::get_if<SqlText>(&rule.filter)) WriteSql(writer, *sql);
  if (const auto* wanted = std::get_if<CorrelationFilter>(&rule.filter)) {
    WriteCorrelation(writer, *wanted);
  }
  if (rule.action) WriteSql(writer, *rule.action);
  return record;
}

Result<RuleDescription> DecodeRule(std::string_view record) {
  ByteReader reader(record);
  RuleDescription rule;
  if (reader.Byte() != kRuleVersion) reader.Fail();
  rule.name = std::string(reader.Text());
  rule.created_at = ReadTime(reader);
  const std::uint8_t kind = reader.Byte();
  const std::uint8_t flags = reader.Byte();
  if (flags > kHasAction) reader.Fail();
  rule.filter = ReadFilter(reader, kind);
  if ((flags & kHasAction) != 0) rule.action = ReadSql(reader);
  if (reader.is_whole()) return rule;
  return Status(ErrorCode::kGeneralError, "a record of the rules is damaged");
}

}  // namespace wharf
