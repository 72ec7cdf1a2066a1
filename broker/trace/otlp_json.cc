#include "broker/trace/otlp_json.h"

#include <algorithm>
#include <string_view>

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "broker/core/entities/names.h"

namespace wharf::trace {
namespace {

using Json = nlohmann::json;

// Of the protocol.
constexpr int kKindInternal = 1;
constexpr int kKindServer = 2;
constexpr int kStatusError = 2;

std::string_view OperationOf(SpanKind kind) {
  switch (kind) {
    case SpanKind::kSend:
      return "send";
    case SpanKind::kWait:
      return "wait";
    case SpanKind::kDelivery:
      return "deliver";
  }
  return "";
}

// Of the few that the conventions know; of others nothing.
std::string_view OperationTypeOf(SpanKind kind) {
  if (kind == SpanKind::kSend) return "send";
  return kind == SpanKind::kDelivery ? "receive" : "";
}

void Add(Json& attributes, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  attributes.push_back({{"key", key}, {"value", {{"stringValue", value}}}});
}

template <typename Bytes>
std::string HexOf(const Bytes& bytes) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Zero is none.
std::string NewSpanId(Random& random) {
  std::uint64_t id = 0;
  while (id == 0) id = random.Next();
  return fmt::format("{:016x}", id);
}

std::string NanosOf(Timestamp time) {
  return fmt::format("{}000", std::max<std::int64_t>(time.time_since_epoch().count(), 0));
}

Json AttributesOf(const Span& span) {
  Json attributes = Json::array();
  const SubscriptionName subscription = SplitSubscriptionPath(span.entity);
  Add(attributes, "messaging.system", "wharf");
  Add(attributes, "messaging.operation.name", OperationOf(span.kind));
  Add(attributes, "messaging.operation.type", OperationTypeOf(span.kind));
  Add(attributes, "messaging.destination.name",
      subscription.name.empty() ? std::string_view(span.entity) : subscription.topic);
  Add(attributes, "messaging.destination.subscription.name", subscription.name);
  Add(attributes, "messaging.message.id", span.message_id);
  Add(attributes, "messaging.servicebus.disposition_status", span.disposition);
  if (span.error != ErrorCode::kOk) Add(attributes, "error.type", ReasonOf(span.error));
  return attributes;
}

Json ToJson(const Span& span, Random& random) {
  Json json{{"traceId", HexOf(span.parent.trace_id)},
            {"spanId", NewSpanId(random)},
            {"parentSpanId", HexOf(span.parent.span_id)},
            {"name", fmt::format("{} {}", OperationOf(span.kind), span.entity)},
            {"kind", span.kind == SpanKind::kSend ? kKindServer : kKindInternal},
            {"startTimeUnixNano", NanosOf(span.start)},
            {"endTimeUnixNano", NanosOf(std::max(span.start, span.end))},
            {"attributes", AttributesOf(span)},
            {"status", Json::object()}};
  if (!span.parent.state.empty()) json["traceState"] = span.parent.state;
  if (span.error != ErrorCode::kOk) {
    json["status"] = {{"code", kStatusError}, {"message", span.error_message}};
  }
  return json;
}

}  // namespace

// What is not UTF-8 is replaced: a name that a client chose is no reason to lose a batch.
std::string ToOtlp(const std::vector<Span>& spans, const std::string& version, Random& random) {
  Json resource = Json::array();
  Add(resource, "service.name", "wharfd");
  Add(resource, "service.version", version);
  Json list = Json::array();
  for (const Span& span : spans) list.push_back(ToJson(span, random));
  const Json scope{{"scope", {{"name", "wharf"}, {"version", version}}}, {"spans", list}};
  const Json of_resource{{"resource", {{"attributes", resource}}},
                         {"scopeSpans", Json::array({scope})}};
  const Json request{{"resourceSpans", Json::array({of_resource})}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wharf::trace
