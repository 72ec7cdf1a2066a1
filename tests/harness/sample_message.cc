#include "tests/harness/sample_message.h"

#include <limits>
#include <memory>
#include <utility>

namespace wharf {
namespace {

template <typename T>
constexpr T kMin = std::numeric_limits<T>::min();
template <typename T>
constexpr T kMax = std::numeric_limits<T>::max();

CarriedProperties SampleCarried() {
  CarriedProperties carried;
  carried.content_encoding = "gzip";
  carried.user_id = std::string("\0\xFF", 2);
  carried.creation_time = Nanotime{-1, 999999999};
  carried.group_sequence = kMax<std::uint32_t>;
  carried.priority = 9;
  carried.durable = true;
  carried.first_acquirer = false;
  carried.annotations = {{"x-opt-mine", std::int64_t{7}}};
  carried.footer = {{"sum", std::string("abc")}};
  return carried;
}

// Every part of it, and no field but those whose bytes only it has.
AmqpForm SampleForm() {
  AmqpForm form;
  form.properties = {std::string("\0\x80\0\0\0\0\0\0\0\x73", 10), 0xd0};
  form.application_properties.code = 0xd1;
  form.data.code = 0xb0;
  form.property_count = 13;
  // A string that is encoded longer than it need be, an uuid, and a time.
  form.fields = {
      {AmqpField::kMessageId, std::string("\xb1\0\0\0\x0amessage-id", 15)},
      {AmqpField::kCorrelationId, std::string("\x98") + std::string(16, '\x1f')},
      {AmqpField::kAbsoluteExpiryTime, std::string("\x83\0\0\x01\0\0\0\0\0", 9)},
  };
  form.long_names = {"string", "true"};
  // The key is a ulong.
  form.annotations = std::string("\x53\x07\x41", 3);
  form.footer = std::string("\0\x53\x78\xd1\0\0\0\x04\0\0\0\0", 12);
  return form;
}

bool Same(const CarriedProperties& a, const CarriedProperties& b) {
  return a.content_encoding == b.content_encoding && a.user_id == b.user_id &&
         a.creation_time == b.creation_time && a.group_sequence == b.group_sequence &&
         a.priority == b.priority && a.durable == b.durable &&
         a.first_acquirer == b.first_acquirer && a.annotations == b.annotations &&
         a.footer == b.footer;
}

}  // namespace

PropertyMap SampleProperties() {
  return {
      {"null", std::monostate()},
      {"true", true},
      {"false", false},
      {"int8", kMin<std::int8_t>},
      {"int16", kMin<std::int16_t>},
      {"int32", kMin<std::int32_t>},
      {"int64", kMin<std::int64_t>},
      {"int64 max", kMax<std::int64_t>},
      {"uint8", kMax<std::uint8_t>},
      {"uint16", kMax<std::uint16_t>},
      {"uint32", kMax<std::uint32_t>},
      {"uint64", kMax<std::uint64_t>},
      {"float", -1.5F},
      {"double", kMin<double>},
      {"infinity", std::numeric_limits<double>::infinity()},
      {"decimal", Decimal{"12.50"}},
      {"char", U'\U0010FFFF'},
      {"string", std::string("a\0b \xC3\xA4", 6)},
      {"empty string", std::string()},
      {"uuid", Uuid{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -1}}},
      {"timestamp", Instant{{-62135596800, 1}}},
      {"timespan", TimeSpan{{-5, -500000000}}},
      {"uri", Uri{"https://broker.example/a?b=c"}},
      {"datetime offset", DateTimeOffset{{253402300799, 999999999}}},
      {"symbol", EncodedValue{"\xa3\x06symbol"}},
      {"Case", std::string("upper")},
      {"case", std::string("lower")},
  };
}

Message SampleMessage() {
  Message message;
  message.body = std::string("body\0\xFF", 6);
  message.body_kind = BodyKind::kDataSections;
  message.message_id = "message-id";
  message.correlation_id = "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f";
  message.content_type = "text/plain";
  message.subject = "subject";
  message.to = "to";
  message.reply_to = "reply-to";
  message.reply_to_session_id = "reply-to-session-id";
  message.session_id = "session";
  message.partition_key = "session";
  message.via_partition_key = "via-partition-key";
  message.time_to_live = std::chrono::hours(1);
  message.scheduled_enqueue_time = Timestamp(std::chrono::seconds(1));
  message.application_properties = SampleProperties();
  message.carried = std::make_shared<const CarriedProperties>(SampleCarried());
  message.amqp_form = std::make_shared<const AmqpForm>(SampleForm());
  return message;
}

std::string FirstDifference(const Message& a, const Message& b) {
  if (a.body != b.body) return "body";
  if (a.body_kind != b.body_kind) return "body_kind";
  const std::pair<const char*, std::optional<std::string> Message::*> texts[] = {
      {"message_id", &Message::message_id},
      {"correlation_id", &Message::correlation_id},
      {"content_type", &Message::content_type},
      {"subject", &Message::subject},
      {"to", &Message::to},
      {"reply_to", &Message::reply_to},
      {"reply_to_session_id", &Message::reply_to_session_id},
      {"session_id", &Message::session_id},
      {"partition_key", &Message::partition_key},
      {"via_partition_key", &Message::via_partition_key},
  };
  for (const auto& [name, field] : texts) {
    if (a.*field != b.*field) return name;
  }
  if (a.time_to_live != b.time_to_live) return "time_to_live";
  if (a.scheduled_enqueue_time != b.scheduled_enqueue_time) return "scheduled_enqueue_time";
  if (a.application_properties != b.application_properties) return "application_properties";
  if ((a.carried == nullptr) != (b.carried == nullptr)) return "carried";
  if (a.carried && !Same(*a.carried, *b.carried)) return "carried";
  if ((a.amqp_form == nullptr) != (b.amqp_form == nullptr)) return "amqp_form";
  if (a.amqp_form && *a.amqp_form != *b.amqp_form) return "amqp_form";
  return "";
}

}  // namespace wharf
