#include "tests/harness/message_accounts.h"

#include <map>
#include <set>

#include <fmt/core.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

std::set<SequenceNumber> NumbersIn(const StoreView& view, LaneId lane, DeliveryState state) {
  std::set<SequenceNumber> numbers;
  const auto rows = view.Scan(IdOf(Table::kDelivery), DeliveryRange(lane, state, SequenceNumber()));
  for (; rows->valid(); rows->Next()) numbers.insert(*NumberOfDeliveryKey(rows->key()));
  return numbers;
}

std::map<SequenceNumber, StoredMessage> MessagesIn(const StoreView& view, LaneId lane) {
  std::map<SequenceNumber, StoredMessage> messages;
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(lane, SequenceNumber()));
  for (; rows->valid(); rows->Next()) {
    const SequenceNumber number = *NumberOfMessageKey(rows->key());
    messages.emplace(number, *DecodeMessage(number, rows->value()));
  }
  return messages;
}

void Compare(std::string& wrong, std::string_view what, std::int64_t counted,
             std::int64_t recounted) {
  if (counted == recounted) return;
  wrong += fmt::format("{} is {}, but there are {}; ", what, counted, recounted);
}

}  // namespace

std::string FindWrongCounters(const Store& store, EntityId entity, LaneKind kind,
                              const LaneCounters& counters) {
  const auto view = store.View();
  const LaneId lane{entity, kind};
  const auto locked = NumbersIn(*view, lane, DeliveryState::kLocked);
  const auto returned = NumbersIn(*view, lane, DeliveryState::kReturned);
  std::int64_t fresh = 0;
  std::int64_t bytes = 0;
  for (const auto& [number, message] : MessagesIn(*view, lane)) {
    bytes += message.facts.size;
    if (!locked.contains(number) && !returned.contains(number)) ++fresh;
  }
  std::string wrong;
  Compare(wrong, "fresh", counters.fresh, fresh);
  Compare(wrong, "locked", counters.locked, static_cast<std::int64_t>(locked.size()));
  Compare(wrong, "returned", counters.returned, static_cast<std::int64_t>(returned.size()));
  Compare(wrong, "bytes", counters.bytes, bytes);
  return wrong;
}

std::string FindStrayRows(const Store& store, EntityId entity) {
  const auto view = store.View();
  std::string stray;
  std::set<SequenceNumber> with_body;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    const LaneId lane{entity, kind};
    const auto messages = MessagesIn(*view, lane);
    for (const auto& [number, message] : messages) {
      if (message.facts.body_ref) with_body.insert(message.facts.body_ref->number);
    }
    for (const DeliveryState state : {DeliveryState::kLocked, DeliveryState::kReturned}) {
      for (const SequenceNumber number : NumbersIn(*view, lane, state)) {
        if (messages.contains(number)) continue;
        stray += fmt::format("a delivery row of {} has no message; ", number.value());
      }
    }
  }
  const auto bodies = view->Scan(IdOf(Table::kBodies), EntityRange(entity));
  for (; bodies->valid(); bodies->Next()) {
    ByteReader key(bodies->key());
    key.Fixed64();
    const SequenceNumber number(key.Fixed64());
    if (!with_body.contains(number)) {
      stray += fmt::format("a body row of {} has no message; ", number.value());
    }
  }
  const auto loose = view->Scan(IdOf(Table::kJobs), JobRange(JobKind::kLooseBody));
  for (; loose->valid(); loose->Next()) {
    const auto body = BodyOfLooseBodyKey(loose->key());
    if (!body || body->entity != entity) continue;
    stray += fmt::format("the body {} is loose; ", body->number.value());
  }
  return stray;
}

}  // namespace wharf
