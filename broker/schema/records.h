// Records: the values of all tables but `messages`, `rules` and `access`. Each starts with a
// version byte.
//
//   catalog     version · kind · id · created at · updated at · description (records.cc)
//   counters    version (3) · counters of a lane · quarantined messages · whether it is uncertain ·
//               separate bodies (-1: unknown) · ends of what was taken out of order;
//               version 2: without the last: whatever was sent before may have been taken;
//               version 1: without the last two, and without the two before if nothing is in
//               quarantine and nothing uncertain; separate bodies are unknown. Both are still read
//   delivery    version · delivery count · size · expires at · flags · [body] · [handle] ·
//               [changed properties] · [session id] · standing locked: token (16) · until;
//               standing delayed: available at;
//               standing quarantined: since · standing before · reason
//   meta        "format"               format version of the whole data folder
//               "applied-index"        how far the log is applied: written by the log, with each
//                                      batch, for the whole folder
//               "root-file-due"        the first access rule is made, its file is not written yet
//               of a bucket:
//               "next-entity-number"   no entity in it has this number or a higher one
//               "next-job-id"          no job in it has this id or a higher one
//               "last-committed-time"  broker time of the last commit that was written here: each
//                                      thread writes it to the lowest bucket that it owns
//               "due-handled-until"    no hint of it in `due` is earlier
//   jobs        version (reclaiming knows all it needs from its key), or version · job record;
//               of a loose and of a released body: version · size;
//               of a fenced entity: version · reason
//   due         of a hint that messages share: version · end - first · came until · expire until;
//   others have no
//               value
//   duplicates  version · number · forget after · flags
//   order       version · standing (fresh, returned or delayed)
//   sessions    version · token (16) · until · since · expired through
//   session_state   version · updated at · state
//   outcomes    version · forget after · transaction record (transaction_record.cc)
//   events      version · forget after · events (event_record.h); of the head:
//               version · end · serial
//   spans       version · last - first · as of · how many exceptions · of each how far it is behind
//               the one before, or behind the first number
//
// The tables `scheduled_times`, `sessions_ready` and `body_refs` have no values; those of
// `scheduled` are messages.
//
// What later versions of this format will add has its place; nothing reads or writes it yet:
//   delivery    flag 64, standing locked: behind `until` stand since · holder's name, for
//               callers that ask about locks from before a start
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/operations/job.h"
#include "broker/core/operations/transaction_record.h"
#include "broker/core/queue/lane.h"

namespace wharf {

// The format of a data folder that this version writes. Since 3, messages keep how their senders
// over AMQP wrote them; since 4, a broker by itself has its log beside its state
// (storage/log/single_folder.h); since 5, entities may have event logs; since 6, they keep
// what a client's XML says that is not known (EPR-24); since 7, rules of access remember which of
// their keys were replaced (SEC-7).
inline constexpr std::uint64_t kFormatVersion = 7;
inline constexpr std::uint64_t kReplacedKeysFormat = 7;
// The oldest one that it reads as well: all that stands in such a folder means the same in the new
// one (EncodeFormat).
inline constexpr std::uint64_t kOldestFormatVersion = 2;

inline constexpr std::string_view kMetaFormat = "format";
inline constexpr std::string_view kMetaRootFileDue = "root-file-due";
// Names of a bucket.
inline constexpr std::string_view kMetaNextEntityNumber = "next-entity-number";
inline constexpr std::string_view kMetaNextJobId = "next-job-id";
inline constexpr std::string_view kMetaLastCommittedTime = "last-committed-time";
inline constexpr std::string_view kMetaDueHandledUntil = "due-handled-until";
// The commit log's own row (storage/applied_index_row.h).
inline constexpr std::string_view kMetaAppliedIndex = "applied-index";
inline constexpr std::string_view kMetaStatePosition = "state-position";

std::string EncodeEntity(const EntityRecord& entity);
Result<EntityRecord> DecodeEntity(std::string_view record);

std::string EncodeCounters(const LaneCounters& counters);
Result<LaneCounters> DecodeCounters(std::string_view record);

// Of standing returned or deferred.
std::string EncodeReturned(const Delivery& delivery, const MessageFacts& facts);
Result<ReturnedRow> DecodeReturned(SequenceNumber number, std::string_view record);

struct DelayedRow {
  ReturnedRow row;
  Timestamp available_at;
};
std::string EncodeDelayed(const Delivery& delivery, const MessageFacts& facts,
                          Timestamp available_at);
Result<DelayedRow> DecodeDelayed(SequenceNumber number, std::string_view record);

struct QuarantinedRow {
  ReturnedRow row;
  QuarantineNote note;
};
std::string EncodeQuarantined(const Delivery& delivery, const MessageFacts& facts,
                              const QuarantineNote& note);
Result<QuarantinedRow> DecodeQuarantined(SequenceNumber number, std::string_view record);

std::string EncodeLocked(const Lane::LockedRow& row);
Result<Lane::LockedRow> DecodeLocked(SequenceNumber number, std::string_view record);

std::string EncodeMeta(std::uint64_t value);
Result<std::uint64_t> DecodeMeta(std::string_view name, std::string_view record);

std::string EncodeReclaim();

std::string EncodeFence(std::string_view reason);
Result<std::string> DecodeFence(std::string_view record);

std::string EncodeJob(const JobRecord& job);
Result<JobRecord> DecodeJob(JobId id, std::string_view record);

// An accepted message id.
struct DuplicateRow {
  SequenceNumber number;
  Timestamp forget_after;
  // `number` is that of a scheduled message.
  bool is_scheduled = false;
};
std::string EncodeDuplicate(const DuplicateRow& row);
Result<DuplicateRow> DecodeDuplicate(std::string_view record);

std::string EncodeOrder(Standing standing);
Result<Standing> DecodeOrder(std::string_view record);

std::string EncodeSession(const SessionRow& row);
Result<SessionRow> DecodeSession(std::string_view record);

struct SessionState {
  Timestamp updated_at;
  std::string bytes;
};
std::string EncodeSessionState(const SessionState& state);
Result<SessionState> DecodeSessionState(std::string_view record);

std::string EncodeTransaction(const TransactionRecord& transaction);
Result<TransactionRecord> DecodeTransaction(const TransactionId& id, std::string_view record);

// The row and its end are the key's.
std::string EncodeSharedHint(const SharedHint& shared);
Result<SharedHint> DecodeSharedHint(const DueHint& row, std::string_view record);

// The shelf is the key's alone. A row of more than kSpanBytesMax is damaged.
inline constexpr std::size_t kSpanBytesMax = 8 * 1024;
std::string EncodeSpan(const Span& span);
Result<Span> DecodeSpan(SequenceNumber first, std::string_view record);

// Of a released one, too. The size is all that the key does not say.
std::string EncodeLooseBody(const BodyRef& body);
Result<std::uint64_t> DecodeLooseBody(std::string_view record);

}  // namespace wharf
