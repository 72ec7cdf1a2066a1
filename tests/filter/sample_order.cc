#include "tests/filter/sample_order.h"

#include <limits>
#include <string>

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kNoon = 1'800'000'000;

Message MakeOrder() {
  Message order;
  order.body = "seven teas";
  order.message_id = "m-7";
  order.correlation_id = "high";
  order.content_type = "text/plain";
  order.subject = "order";
  order.session_id = "";
  order.time_to_live = seconds(90);
  order.application_properties = {
      {"color", std::string("red")},
      {"Size", std::int64_t{10}},
      {"quantity", std::int32_t{3}},
      {"price", 2.5},
      {"weight", 0.5F},
      {"paid", true},
      {"nothing", std::monostate()},
      {"i8", std::int8_t{-8}},
      {"i16", std::int16_t{-16}},
      {"i32max", std::numeric_limits<std::int32_t>::max()},
      {"i64max", std::numeric_limits<std::int64_t>::max()},
      {"i64min", std::numeric_limits<std::int64_t>::min()},
      {"u8", std::uint8_t{8}},
      {"u16", std::uint16_t{16}},
      {"u32", std::uint32_t{32}},
      {"u32max", std::numeric_limits<std::uint32_t>::max()},
      {"u64", std::uint64_t{64}},
      {"u64max", std::numeric_limits<std::uint64_t>::max()},
      {"nan", std::numeric_limits<double>::quiet_NaN()},
      {"letter", U'A'},
      {"cost", Decimal{"12.50"}},
      {"same_cost", Decimal{"12.5"}},
      {"huge_cost", Decimal{"79228162514264337593543950335"}},
      {"no_decimal", Decimal{"a lot"}},
      {"link", Uri{"urn:a"}},
      {"same_link", Uri{"urn:a"}},
      {"id", Uuid{{1, 2, 3}}},
      {"same_id", Uuid{{1, 2, 3}}},
      {"other_id", Uuid{{1, 2, 4}}},
      {"noon", Instant{{kNoon, 0}}},
      {"later", Instant{{kNoon + 60, 500}}},
      {"local_noon", DateTimeOffset{{kNoon, 0}}},
      {"minute", TimeSpan{{60, 0}}},
      {"text2", std::string("2")},
      {"percent", std::string("50% off")},
      {"quote", std::string("it's")},
      {"umlaut", std::string("gr\xC3\xBC\xC3\x9F")},
      {"\xC3\x84hre", std::int64_t{1}},
      {"two words", std::int64_t{2}},
      {"a]b", std::int64_t{3}},
      {"a\"b", std::int64_t{4}},
      {"select", std::int64_t{5}},
      {"And", std::int64_t{6}},
      {"sys", std::int64_t{7}},
      {"p", std::int64_t{8}},
      {"http://schemas.example/Name", std::string("account")},
      {"which", std::string("color")},
      {"Twice", std::int64_t{1}},
      {"twice", std::int64_t{2}},
  };
  return order;
}

// The compiler would take half a minute to make a constant of them.
std::string Repeated(char letter, std::size_t times) { return std::string(times, letter); }

}  // namespace

const Message& SampleOrder() {
  static const Message kOrder = MakeOrder();
  return kOrder;
}

const BrokerProperties& SampleBroker() {
  static const BrokerProperties kBroker = {.sequence_number = SequenceNumber(7),
                                           .enqueued_sequence_number = SequenceNumber(3),
                                           .enqueued_at = Timestamp(seconds(kNoon)),
                                           .expires_at = kNever,
                                           .delivery_count = 2,
                                           .dead_letter_source = "orders",
                                           .state = MessageState::kDeferred,
                                           .size = 1234};
  return kBroker;
}

const PropertyMap& SampleParameters() {
  static const PropertyMap kParameters = {{"@color", std::string("red")},
                                          {"ten", std::int32_t{10}},
                                          {"@tenth", 0.1},
                                          {"yes", true},
                                          {"@noon", Instant{{kNoon, 0}}},
                                          {"@minute", TimeSpan{{60, 0}}},
                                          {"@nothing", std::monostate()},
                                          {"@id", Uuid{{1, 2, 3}}},
                                          {"@cost", Decimal{"12.500"}},
                                          {"@big", std::int64_t{1} << 40},
                                          {"@long", Repeated('%', 5000)},
                                          {"@wide", Repeated('a', 100'000)}};
  return kParameters;
}

}  // namespace wharf
