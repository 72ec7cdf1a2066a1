#include "broker/doors/amqp/mapping/property_bytes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/mapping/decimal128.h"

namespace wharf::amqp {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// In units of which a second has so many. What rules reckon may be beyond any range: then it is the
// end of ours.
std::int64_t CountOf(const Nanotime& time, std::int64_t per_second, std::int64_t from_second = 0) {
  __int128 count = static_cast<__int128>(time.seconds) + from_second;
  count = count * per_second + time.nanos / (kNanosPerSecond / per_second);
  const __int128 low = std::numeric_limits<std::int64_t>::min();
  const __int128 high = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(count, low, high));
}

struct PropertyWriter {
  Writer& writer;

  void operator()(std::monostate) const { writer.WriteNull(); }
  void operator()(char32_t value) const { writer.Write(Char{value}); }
  void operator()(const wharf::Uuid& uuid) const { writer.Write(Uuid{uuid.bytes}); }
  void operator()(const EncodedValue& value) const { writer.WriteEncoded(value.bytes); }
  void operator()(const Decimal& value) const {
    const std::optional<Decimal128> decimal = Decimal128Of(value.text);
    decimal ? writer.Write(*decimal) : writer.WriteString(value.text);
  }
  void operator()(const Instant& value) const {
    writer.Write(TimestampMs{CountOf(value.since_epoch, 1000)});
  }
  void operator()(const TimeSpan& value) const {
    Describe(kTimeSpanSymbol);
    writer.Write(CountOf(value.length, kTicksPerSecond));
  }
  void operator()(const DateTimeOffset& value) const {
    Describe(kDateTimeOffsetSymbol);
    writer.Write(CountOf(value.since_epoch, kTicksPerSecond, kSecondsFromYearOne));
  }
  void operator()(const Uri& value) const {
    Describe(kUriSymbol);
    writer.WriteString(value.text);
  }
  template <typename Same>
  void operator()(const Same& value) const {
    writer.Write(value);
  }

 private:
  void Describe(std::string_view symbol) const {
    constexpr char kDescribed = static_cast<char>(code::kDescribed);
    writer.WriteEncoded({&kDescribed, 1});
    writer.WriteSymbol(symbol);
  }
};

}  // namespace

void WriteProperty(Writer& writer, const PropertyValue& value) {
  std::visit(PropertyWriter{writer}, value);
}

PropertyValue PropertyOf(std::string_view encoded) {
  std::optional<PropertyValue> plain = PlainOf(encoded);
  if (plain) {
    std::string shortest;
    Writer writer(shortest);
    WriteProperty(writer, *plain);
    if (shortest == encoded) return *std::move(plain);
  }
  return EncodedValue{std::string(encoded)};
}

}  // namespace wharf::amqp
