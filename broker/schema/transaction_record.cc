// Records of transactions: when they are forgotten stands first, because compactions ask for it.

#include <fmt/core.h>

#include "broker/schema/bytes.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"

namespace wharf {
namespace {

constexpr std::uint8_t kTransactionVersion = 1;
// With an owner behind all else.
constexpr std::uint8_t kOwnedTransactionVersion = 2;

void WriteResult(ByteWriter& writer, const OperationResult& result) {
  writer.Varint(result.sent.size());
  for (const SendOutcome& sent : result.sent) {
    writer.Varint(sent.number.value());
    writer.Byte(sent.is_duplicate ? 1 : 0);
  }
  WriteTime(writer, result.locked_until.value_or(kNever));
}

// A count that does not fit what is left is not trusted; each item takes a byte at least.
std::size_t ReadCount(ByteReader& reader) {
  const auto count = reader.Number<std::size_t>();
  if (count > reader.left()) reader.Fail();
  return reader.failed() ? 0 : count;
}

OperationResult ReadResult(ByteReader& reader) {
  OperationResult result;
  const std::size_t count = ReadCount(reader);
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    const SequenceNumber number(reader.Varint());
    const std::uint8_t is_duplicate = reader.Byte();
    if (is_duplicate > 1) reader.Fail();
    result.sent.push_back({number, is_duplicate == 1});
  }
  const Timestamp until = ReadTime(reader);
  if (until != kNever) result.locked_until = until;
  return result;
}

TransactionState ReadTransactionState(ByteReader& reader) {
  const auto state = static_cast<TransactionState>(reader.Byte());
  if (state < TransactionState::kOpen || state > TransactionState::kRolledBack) reader.Fail();
  return state;
}

}  // namespace

std::string EncodeTransaction(const TransactionRecord& transaction) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(transaction.owner.empty() ? kTransactionVersion : kOwnedTransactionVersion);
  WriteTime(writer, transaction.forget_after);
  writer.Byte(static_cast<std::uint8_t>(transaction.state));
  WriteTime(writer, transaction.begun_at);
  WriteTime(writer, transaction.ends_at);
  writer.Text(transaction.reason);
  writer.Varint(transaction.results.size());
  for (const OperationResult& result : transaction.results) WriteResult(writer, result);
  if (!transaction.owner.empty()) writer.Text(transaction.owner);
  return record;
}

Result<TransactionRecord> DecodeTransaction(const TransactionId& id, std::string_view record) {
  ByteReader reader(record);
  TransactionRecord transaction;
  transaction.id = id;
  const std::uint8_t version = reader.Byte();
  if (version != kTransactionVersion && version != kOwnedTransactionVersion) reader.Fail();
  transaction.forget_after = ReadTime(reader);
  transaction.state = ReadTransactionState(reader);
  transaction.begun_at = ReadTime(reader);
  transaction.ends_at = ReadTime(reader);
  transaction.reason = std::string(reader.Text());
  const std::size_t count = ReadCount(reader);
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    transaction.results.push_back(ReadResult(reader));
  }
  transaction.operations = transaction.results.size();
  if (version == kOwnedTransactionVersion) transaction.owner = std::string(reader.Text());
  if (reader.is_whole()) return transaction;
  return Status(
      ErrorCode::kGeneralError,
      fmt::format("the stored outcome of transaction '{}' is damaged or of a newer format", id));
}

}  // namespace wharf
