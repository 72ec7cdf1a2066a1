#include <fmt/core.h>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"

namespace wharf {
namespace {

constexpr std::uint8_t kJobVersion = 1;
// With an owner behind all else.
constexpr std::uint8_t kOwnedJobVersion = 2;

// Flags of a selection.
constexpr std::uint8_t kHasReason = 1;
constexpr std::uint8_t kHasFrom = 2;
constexpr std::uint8_t kHasBefore = 4;
constexpr std::uint8_t kHasFilter = 8;
constexpr std::uint8_t kAllSelectionFlags = 15;

void WriteSelection(ByteWriter& writer, const MessageSelection& selection) {
  writer.Byte((selection.dead_letter_reason ? kHasReason : 0) |
              (selection.enqueued_from ? kHasFrom : 0) |
              (selection.enqueued_before ? kHasBefore : 0) |
              (selection.sql_filter.empty() ? 0 : kHasFilter));
  if (selection.dead_letter_reason) writer.Text(*selection.dead_letter_reason);
  if (selection.enqueued_from) WriteTime(writer, *selection.enqueued_from);
  if (selection.enqueued_before) WriteTime(writer, *selection.enqueued_before);
  writer.Varint(selection.numbers.size());
  for (const SequenceNumber number : selection.numbers) writer.Varint(number.value());
  if (!selection.sql_filter.empty()) writer.Text(selection.sql_filter);
}

MessageSelection ReadSelection(ByteReader& reader) {
  MessageSelection selection;
  const std::uint8_t flags = reader.Byte();
  if (flags > kAllSelectionFlags) reader.Fail();
  if ((flags & kHasReason) != 0) selection.dead_letter_reason = std::string(reader.Text());
  if ((flags & kHasFrom) != 0) selection.enqueued_from = ReadTime(reader);
  if ((flags & kHasBefore) != 0) selection.enqueued_before = ReadTime(reader);
  // A number takes a byte at least: a count that does not fit is not trusted.
  const auto count = reader.Number<std::size_t>();
  if (count > reader.left()) reader.Fail();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    selection.numbers.emplace_back(reader.Varint());
  }
  if ((flags & kHasFilter) != 0) selection.sql_filter = std::string(reader.Text());
  return selection;
}

void WriteOrder(ByteWriter& writer, const JobOrder& order) {
  writer.Byte(static_cast<std::uint8_t>(order.verb));
  writer.Text(order.path);
  WriteSelection(writer, order.selection);
  writer.Text(order.target);
  writer.Varint(order.rate_max);
  writer.Byte(order.is_dry_run ? 1 : 0);
}

JobOrder ReadOrder(ByteReader& reader) {
  JobOrder order;
  order.verb = static_cast<JobVerb>(reader.Byte());
  if (order.verb != JobVerb::kRedrive && order.verb != JobVerb::kDeleteMessages) reader.Fail();
  order.path = std::string(reader.Text());
  order.selection = ReadSelection(reader);
  order.target = std::string(reader.Text());
  order.rate_max = reader.Number<std::uint32_t>();
  const std::uint8_t is_dry_run = reader.Byte();
  if (is_dry_run > 1) reader.Fail();
  order.is_dry_run = is_dry_run == 1;
  return order;
}

JobState ReadJobState(ByteReader& reader) {
  const auto state = static_cast<JobState>(reader.Byte());
  if (state < JobState::kRunning || state > JobState::kFailed) reader.Fail();
  return state;
}

LaneKind ReadLaneKind(ByteReader& reader) {
  const auto kind = static_cast<LaneKind>(reader.Byte());
  if (kind > LaneKind::kDeadLetter) reader.Fail();
  return kind;
}

}  // namespace

std::string EncodeJob(const JobRecord& job) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(job.owner.empty() ? kJobVersion : kOwnedJobVersion);
  WriteOrder(writer, job.order);
  WriteEntityId(writer, job.entity);
  writer.Byte(static_cast<std::uint8_t>(job.lane));
  writer.Byte(static_cast<std::uint8_t>(job.state));
  writer.Varint(job.position.value());
  writer.Varint(job.until.value());
  for (const std::int64_t count : {job.looked_at, job.matched, job.done, job.left}) {
    writer.SignedVarint(count);
  }
  writer.Text(job.error);
  WriteTime(writer, job.created_at);
  WriteTime(writer, job.finished_at);
  if (!job.owner.empty()) writer.Text(job.owner);
  return record;
}

Result<JobRecord> DecodeJob(JobId id, std::string_view record) {
  ByteReader reader(record);
  JobRecord job;
  job.id = id;
  const std::uint8_t version = reader.Byte();
  if (version != kJobVersion && version != kOwnedJobVersion) reader.Fail();
  job.order = ReadOrder(reader);
  job.entity = ReadEntityId(reader);
  job.lane = ReadLaneKind(reader);
  job.state = ReadJobState(reader);
  job.position = SequenceNumber(reader.Varint());
  job.until = SequenceNumber(reader.Varint());
  for (std::int64_t* count : {&job.looked_at, &job.matched, &job.done, &job.left}) {
    *count = reader.SignedVarint();
  }
  job.error = std::string(reader.Text());
  job.created_at = ReadTime(reader);
  job.finished_at = ReadTime(reader);
  if (version == kOwnedJobVersion) job.owner = std::string(reader.Text());
  if (reader.is_whole()) return job;
  return Status(
      ErrorCode::kGeneralError,
      fmt::format("the stored record of job {} is damaged or of a newer format", id.value()));
}

}  // namespace wharf
