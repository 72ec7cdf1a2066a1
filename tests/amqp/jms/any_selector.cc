#include "tests/amqp/jms/any_selector.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <memory>

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/doors/amqp/jms/selector.h"
#include "broker/filter/sql_filter.h"
#include "storage/base/random.h"

namespace wharf::amqp::jms {
namespace {

constexpr std::string_view kRefused = "jms-selector: ";
constexpr std::string_view kWrongAt = "jms-selector: it is wrong at column ";

void Require(bool holds, std::string_view text) {
  if (holds) return;
  fmt::print(stderr, "this text does what no selector may do: {}\n", text);
  std::abort();
}

Message Order() {
  Message message;
  message.message_id = "ID:7";
  message.subject = "invoice";
  CarriedProperties carried;
  carried.priority = 7;
  carried.creation_time = Nanotime{1'700'000'000, 5'000'000};
  message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
  message.application_properties = {
      {"a", std::int32_t{30}}, {"weight", 2.5}, {"city", std::string("Rome")}, {"isNew", true}};
  return message;
}

void TryRefusal(std::string_view text, std::string_view why) {
  Require(why.starts_with(kRefused), text);
  if (!why.starts_with(kWrongAt)) return;
  why.remove_prefix(kWrongAt.size());
  std::size_t column = 0;
  const auto read = std::from_chars(why.data(), why.data() + why.size(), column);
  Require(read.ec == std::errc() && column > 0 && column <= CharactersIn(text) + 1, text);
}

void TryMessage(std::string_view text, const SqlFilter& filter, const Message& message) {
  SeededRandom random(1);
  const Result<Truth> truth = filter.Evaluate(MessageView(message), random);
  Require(truth.ok() || truth.status().code() == ErrorCode::kFilterException, text);
}

}  // namespace

bool TryAnySelector(std::string_view text) {
  const Result<std::string> filter_text = FilterTextOf(text);
  if (!filter_text.ok()) {
    TryRefusal(text, filter_text.status().message());
    return false;
  }
  if (filter_text->empty()) return true;
  const Result<SqlFilter> filter = SqlFilter::Compile(*filter_text);
  Require(filter.ok(), text);
  TryMessage(text, *filter, Order());
  TryMessage(text, *filter, Message());
  return true;
}

}  // namespace wharf::amqp::jms
