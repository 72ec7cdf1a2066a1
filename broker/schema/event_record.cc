#include "broker/schema/event_record.h"

#include <algorithm>
#include <utility>

#include "broker/schema/message_record.h"

namespace wharf {
namespace {

constexpr std::uint8_t kEventVersion = 1;

// Of an event.
constexpr std::uint8_t kEventOfDeadLetter = 1 << 0;
constexpr std::uint8_t kEventHasUntil = 1 << 1;
constexpr std::uint8_t kEventHasCount = 1 << 2;
constexpr std::uint8_t kEventHasId = 1 << 3;
constexpr std::uint8_t kEventHasReason = 1 << 4;
constexpr std::uint8_t kEventHasPath = 1 << 5;
constexpr std::uint8_t kEventHasNumber = 1 << 6;
constexpr std::uint8_t kEventIsRun = 1 << 7;

std::uint8_t FlagsOf(const Event& event) {
  const auto flag = [](bool is_set, std::uint8_t bit) { return is_set ? bit : std::uint8_t{0}; };
  return static_cast<std::uint8_t>(flag(event.lane == LaneKind::kDeadLetter, kEventOfDeadLetter) |
                                   flag(event.until.has_value(), kEventHasUntil) |
                                   flag(event.count.has_value(), kEventHasCount) |
                                   flag(!event.message_id.empty(), kEventHasId) |
                                   flag(!event.reason.empty(), kEventHasReason) |
                                   flag(!event.other_path.empty(), kEventHasPath) |
                                   flag(event.other_number != SequenceNumber(), kEventHasNumber) |
                                   flag(event.last != SequenceNumber(), kEventIsRun));
}

// Numbers that lie close together, whichever is the larger one.
std::int64_t Step(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

std::uint64_t Stepped(std::uint64_t from, std::int64_t step) {
  return from + static_cast<std::uint64_t>(step);
}

// Of a damaged row it may be any time.
Timestamp Later(Timestamp time, std::int64_t micros) {
  const auto count = static_cast<std::uint64_t>(time.time_since_epoch().count());
  return Timestamp(Duration(static_cast<std::int64_t>(Stepped(count, micros))));
}

void WriteRun(ByteWriter& writer, const Event& event) {
  writer.Varint(event.last.value() - event.number.value());
  writer.Varint(event.exceptions.size());
  std::uint64_t before = event.number.value();
  for (const SequenceNumber each : event.exceptions) {
    writer.Varint(each.value() - before);
    before = each.value();
  }
}

Actor ReadActor(ByteReader& reader) {
  Actor actor;
  const std::uint8_t door = reader.Byte();
  if (door > static_cast<std::uint8_t>(Door::kConsole)) reader.Fail();
  actor.door = static_cast<Door>(door);
  actor.peer = std::string(reader.Text());
  actor.identity = std::string(reader.Text());
  return actor;
}

}  // namespace

bool Event::IsOf(SequenceNumber wanted) const {
  if (last == SequenceNumber()) return number == wanted;
  return number <= wanted && wanted <= last &&
         !std::binary_search(exceptions.begin(), exceptions.end(), wanted);
}

std::uint64_t EventRowWriter::IndexOf(const Actor* actor) {
  if (actor == nullptr) return 0;
  if (actor == last_actor_) return last_actor_index_;
  std::string text;
  ByteWriter writer(text);
  writer.Byte(static_cast<std::uint8_t>(actor->door));
  writer.Text(actor->peer);
  writer.Text(actor->identity);
  const auto [found, is_new] = indexes_.try_emplace(std::move(text), indexes_.size() + 1);
  if (is_new) actors_ += found->first;
  last_actor_ = actor;
  last_actor_index_ = found->second;
  return last_actor_index_;
}

void EventRowWriter::Add(const Event& event, const Actor* actor) {
  ByteWriter writer(events_);
  writer.Byte(static_cast<std::uint8_t>(event.kind));
  writer.Byte(FlagsOf(event));
  writer.Varint(event.index - index_);
  writer.SignedVarint(Step(number_, event.number.value()));
  writer.Varint(IndexOf(actor));
  index_ = event.index;
  number_ = event.number.value();
  if (event.until) {
    writer.SignedVarint((*event.until - until_).count());
    until_ = *event.until;
  }
  if (event.count) writer.Varint(*event.count);
  if (!event.message_id.empty()) writer.Text(event.message_id);
  if (!event.reason.empty()) writer.Text(event.reason);
  if (!event.other_path.empty()) writer.Text(event.other_path);
  if (event.other_number != SequenceNumber()) writer.Varint(event.other_number.value());
  if (event.last != SequenceNumber()) WriteRun(writer, event);
}

std::string EventRowWriter::Take(Timestamp forget_after, std::uint64_t serial) {
  std::string row;
  ByteWriter writer(row);
  writer.Byte(kEventVersion);
  writer.Fixed64(static_cast<std::uint64_t>(forget_after.time_since_epoch().count()));
  WriteTime(writer, time_);
  writer.Varint(serial);
  writer.Varint(indexes_.size());
  writer.Raw(actors_);
  writer.Raw(events_);
  *this = EventRowWriter(time_);
  return row;
}

EventRowReader::EventRowReader(std::string_view row) : reader_(row) {
  if (reader_.Byte() != kEventVersion) reader_.Fail();
  forget_after_ = Timestamp(Duration(static_cast<std::int64_t>(reader_.Fixed64())));
  time_ = ReadTime(reader_);
  until_ = time_;
  serial_ = reader_.Varint();
  const std::uint64_t actors = reader_.Varint();
  for (std::uint64_t i = 0; i < actors && !reader_.failed(); ++i) {
    actors_.push_back(ReadActor(reader_));
  }
}

std::optional<Event> EventRowReader::Next() {
  if (reader_.left() == 0) return std::nullopt;
  Event event;
  const std::uint8_t kind = reader_.Byte();
  if (kind == 0 || kind > static_cast<std::uint8_t>(kEventKindMax)) reader_.Fail();
  event.kind = static_cast<EventKind>(kind);
  const std::uint8_t flags = reader_.Byte();
  if ((flags & kEventOfDeadLetter) != 0) event.lane = LaneKind::kDeadLetter;
  event.index = index_ += reader_.Varint();
  number_ = Stepped(number_, reader_.SignedVarint());
  event.number = SequenceNumber(number_);
  const std::uint64_t actor = reader_.Varint();
  if (actor > actors_.size()) reader_.Fail();
  if (actor > 0) event.actor = actor - 1;
  if ((flags & kEventHasUntil) != 0) event.until = until_ = Later(until_, reader_.SignedVarint());
  if ((flags & kEventHasCount) != 0) event.count = reader_.Number<std::uint32_t>();
  if ((flags & kEventHasId) != 0) event.message_id = reader_.Text();
  if ((flags & kEventHasReason) != 0) event.reason = reader_.Text();
  if ((flags & kEventHasPath) != 0) event.other_path = reader_.Text();
  if ((flags & kEventHasNumber) != 0) event.other_number = SequenceNumber(reader_.Varint());
  if ((flags & kEventIsRun) != 0) ReadRun(event);
  return reader_.failed() ? std::nullopt : std::optional(std::move(event));
}

void EventRowReader::ReadRun(Event& event) {
  event.last = SequenceNumber(event.number.value() + reader_.Varint());
  const std::uint64_t exceptions = reader_.Varint();
  std::uint64_t before = event.number.value();
  for (std::uint64_t i = 0; i < exceptions && !reader_.failed(); ++i) {
    before += reader_.Varint();
    event.exceptions.emplace_back(before);
  }
}

std::optional<Timestamp> ForgetAfterOf(std::string_view row) {
  ByteReader reader(row);
  if (reader.Byte() != kEventVersion) reader.Fail();
  const std::uint64_t micros = reader.Fixed64();
  if (reader.failed()) return std::nullopt;
  return Timestamp(Duration(static_cast<std::int64_t>(micros)));
}

std::string EncodeEventHead(const EventLogHead& head) {
  std::string record;
  ByteWriter writer(record);
  writer.Byte(kEventVersion);
  writer.Varint(head.end);
  writer.Varint(head.serial);
  return record;
}

std::optional<EventLogHead> DecodeEventHead(std::string_view record) {
  ByteReader reader(record);
  EventLogHead head;
  if (reader.Byte() != kEventVersion) reader.Fail();
  head.end = reader.Varint();
  head.serial = reader.Varint();
  return reader.is_whole() ? std::optional(head) : std::nullopt;
}

}  // namespace wharf
