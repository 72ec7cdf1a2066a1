#include "broker/schema/change_encoder.h"

#include <algorithm>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

constexpr TableId kMeta = IdOf(Table::kMeta);
constexpr TableId kCatalog = IdOf(Table::kCatalog);
constexpr TableId kCountersTable = IdOf(Table::kCounters);
constexpr TableId kMessages = IdOf(Table::kMessages);
constexpr TableId kBodies = IdOf(Table::kBodies);
constexpr TableId kDelivery = IdOf(Table::kDelivery);
constexpr TableId kJobs = IdOf(Table::kJobs);

class Encoder {
 public:
  explicit Encoder(WriteBatch& batch) : batch_(batch) {}

  void operator()(const EntityCreated& change) {
    PutEntity(change.record);
    batch_.Put(kMeta, kMetaNextEntityId, EncodeMeta(change.record.id.Next().value()));
  }

  void operator()(const EntityUpdated& change) { PutEntity(change.record); }

  void operator()(const EntityDeleted& change) {
    batch_.Delete(kCatalog, FoldPath(change.name));
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      batch_.Delete(kCountersTable, CountersKey({change.id, kind}));
    }
    batch_.Put(kJobs, JobKey(JobKind::kReclaimEntity, change.id.value()), EncodeJob());
  }

  void operator()(const EntityReclaimed& change) {
    const KeyRange messages = MessageRange(change.lane, SequenceNumber(), change.through.Next());
    batch_.DeleteRange(kMessages, messages.begin, messages.end);
    for (const BodyRef& body : change.bodies) DeleteBody(body);
  }

  void operator()(const EntityReclaimFinished& change) {
    const KeyRange rows = EntityRange(change.id);
    batch_.DeleteRange(kDelivery, rows.begin, rows.end);
    batch_.Delete(kJobs, JobKey(JobKind::kReclaimEntity, change.id.value()));
  }

  void operator()(const MessageEnqueued& change) {
    const StoredMessage& message = *change.message;
    if (message.facts.body_ref) AddBody(*message.facts.body_ref, message.message.body);
    PutMessage(change.lane, message);
  }

  void operator()(const MessageLocked& change) {
    if (change.was_returned) DeleteDelivery(change.lane, DeliveryState::kReturned, change.number);
    if (kMutant == Mutant::kForgottenLockRow) return;
    PutLocked(change.lane, change.number, change.token, change.until, change.delivery,
              change.facts);
  }

  void operator()(const LockRenewed& change) {
    PutLocked(change.lane, change.number, change.token, change.until, change.delivery,
              change.facts);
  }

  void operator()(const MessageCompleted& change) {
    DeleteDelivery(change.lane, DeliveryState::kLocked, change.number);
    DeleteMessage(change.lane, change.number, change.facts);
  }

  void operator()(const MessageConsumed& change) {
    if (change.was_returned) DeleteDelivery(change.lane, DeliveryState::kReturned, change.number);
    if (!change.facts.has_large_body()) {
      return DeleteMessage(change.lane, change.number, change.facts);
    }
    batch_.SingleDelete(kMessages, MessageKey(change.lane, change.number));
    PutLooseBody(*change.facts.body_ref);
  }

  void operator()(const MessageReturned& change) {
    DeleteDelivery(change.lane, DeliveryState::kLocked, change.number);
    PutReturned(change.lane, change.number, change.delivery, change.facts);
  }

  // The body's rows stay where they are; the moved message names them.
  void operator()(const MessageDeadLettered& change) {
    const LaneId from{change.entity, LaneKind::kMain};
    const LaneId to{change.entity, LaneKind::kDeadLetter};
    const StoredMessage& message = *change.message;
    DeleteDelivery(from, DeliveryState::kLocked, message.number);
    batch_.SingleDelete(kMessages, MessageKey(from, message.number));
    PutMessage(to, message);
    PutReturned(to, message.number, change.delivery, message.facts);
  }

  void operator()(const BodyChunkStored& change) {
    if (change.chunk == 0) PutLooseBody(change.body);
    batch_.Put(kBodies, BodyKey(change.body, change.chunk), change.bytes);
  }

  void operator()(const LooseBodyDropped& change) {
    DeleteChunks(change.body);
    DeleteLooseBody(change.body);
  }

  void operator()(const CountersChanged& change) {
    LaneCounters counters = change.counters;
    if (kMutant == Mutant::kCursorOneTooFar) counters.cursor = counters.cursor.Next();
    batch_.Put(kCountersTable, CountersKey(change.lane), EncodeCounters(counters));
  }

 private:
  void PutEntity(const EntityRecord& record) {
    batch_.Put(kCatalog, FoldPath(record.description.name), EncodeEntity(record));
  }

  void PutMessage(LaneId lane, const StoredMessage& message) {
    batch_.Put(kMessages, MessageKey(lane, message.number), EncodeMessage(message));
  }

  void DeleteMessage(LaneId lane, SequenceNumber number, const MessageFacts& facts) {
    batch_.SingleDelete(kMessages, MessageKey(lane, number));
    if (facts.body_ref) DeleteBody(*facts.body_ref);
  }

  // An uploaded body is there already; now a message names it.
  void AddBody(const BodyRef& ref, std::string_view body) {
    if (ref.was_uploaded()) return DeleteLooseBody(ref);
    PutBody(ref, body);
  }

  void PutLooseBody(const BodyRef& body) {
    batch_.Put(kJobs, LooseBodyKey(body), EncodeLooseBody(body));
  }

  void DeleteLooseBody(const BodyRef& body) { batch_.Delete(kJobs, LooseBodyKey(body)); }

  // Of a large body, in one write instead of hundreds.
  void DeleteChunks(const BodyRef& body) {
    const KeyRange chunks = BodyRange(body);
    batch_.DeleteRange(kBodies, chunks.begin, chunks.end);
  }

  void PutBody(const BodyRef& ref, std::string_view body) {
    for (std::uint32_t chunk = 0; !body.empty(); ++chunk) {
      const std::size_t size = std::min(body.size(), kBodyChunkBytes);
      batch_.Put(kBodies, BodyKey(ref, chunk), body.substr(0, size));
      body.remove_prefix(size);
    }
  }

  void DeleteBody(const BodyRef& ref) {
    if (ref.is_large()) return DeleteChunks(ref);
    const auto chunks =
        static_cast<std::uint32_t>((ref.size + kBodyChunkBytes - 1) / kBodyChunkBytes);
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      batch_.SingleDelete(kBodies, BodyKey(ref, chunk));
    }
  }

  void PutLocked(LaneId lane, SequenceNumber number, const LockToken& token, Timestamp until,
                 const Delivery& delivery, const MessageFacts& facts) {
    batch_.Put(kDelivery, DeliveryKey(lane, DeliveryState::kLocked, number),
               EncodeLocked(token, until, delivery, facts));
  }

  void PutReturned(LaneId lane, SequenceNumber number, const Delivery& delivery,
                   const MessageFacts& facts) {
    batch_.Put(kDelivery, DeliveryKey(lane, DeliveryState::kReturned, number),
               EncodeReturned(delivery, facts));
  }

  void DeleteDelivery(LaneId lane, DeliveryState state, SequenceNumber number) {
    batch_.Delete(kDelivery, DeliveryKey(lane, state, number));
  }

  WriteBatch& batch_;
};

}  // namespace

void Encode(const Change& change, WriteBatch& batch) { std::visit(Encoder(batch), change); }

WriteBatch EncodeNewFolder() {
  WriteBatch batch;
  batch.Put(kMeta, kMetaFormat, EncodeMeta(kFormatVersion));
  return batch;
}

void EncodeCommitTime(Timestamp now, WriteBatch& batch) {
  batch.Put(kMeta, kMetaLastCommittedTime,
            EncodeMeta(static_cast<std::uint64_t>(now.time_since_epoch().count())));
}

}  // namespace wharf
