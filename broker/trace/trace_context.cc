#include "broker/trace/trace_context.h"

#include <algorithm>
#include <variant>

namespace wharf::trace {
namespace {

// Where the parts of a traceparent begin, and where the last one ends.
constexpr std::size_t kTraceIdAt = 3;
constexpr std::size_t kSpanIdAt = 36;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kEnd = 55;

constexpr std::uint8_t kSampled = 1;
// Never a version.
constexpr std::uint8_t kNoVersion = 0xff;

// Upper case is against the rules.
std::optional<std::uint8_t> DigitOf(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return std::nullopt;
}

template <std::size_t kBytes>
std::optional<std::array<std::uint8_t, kBytes>> BytesAt(std::string_view text, std::size_t at) {
  std::array<std::uint8_t, kBytes> bytes{};
  for (std::size_t i = 0; i < kBytes; ++i) {
    const auto high = DigitOf(text[at + 2 * i]);
    const auto low = DigitOf(text[at + 2 * i + 1]);
    if (!high || !low) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return bytes;
}

template <std::size_t kBytes>
bool IsZero(const std::array<std::uint8_t, kBytes>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

// What later versions add stands behind another dash.
bool HasForm(std::string_view text, std::uint8_t version) {
  if (text[kTraceIdAt - 1] != '-' || text[kSpanIdAt - 1] != '-' || text[kFlagsAt - 1] != '-') {
    return false;
  }
  if (version == kNoVersion) return false;
  return text.size() == kEnd || (version > 0 && text[kEnd] == '-');
}

const std::string* TextOf(const PropertyMap& properties, std::string_view name) {
  for (const auto& [each, value] : properties) {
    if (each == name) return std::get_if<std::string>(&value);
  }
  return nullptr;
}

// It goes into JSON and to others: what is not printable is no tracestate.
std::string StateOf(const PropertyMap& properties) {
  const std::string* const text = TextOf(properties, kTracestate);
  if (text == nullptr || text->size() > kTracestateBytesMax) return "";
  const bool is_good = std::all_of(text->begin(), text->end(),
                                   [](char letter) { return letter >= ' ' && letter <= '~'; });
  return is_good ? *text : "";
}

}  // namespace

std::optional<TraceContext> ParseTraceparent(std::string_view text) {
  if (text.size() < kEnd) return std::nullopt;
  const auto version = BytesAt<1>(text, 0);
  const auto trace_id = BytesAt<16>(text, kTraceIdAt);
  const auto span_id = BytesAt<8>(text, kSpanIdAt);
  const auto flags = BytesAt<1>(text, kFlagsAt);
  if (!version || !trace_id || !span_id || !flags) return std::nullopt;
  if (!HasForm(text, version->front())) return std::nullopt;
  if (IsZero(*trace_id) || IsZero(*span_id)) return std::nullopt;
  return TraceContext{*trace_id, *span_id, (flags->front() & kSampled) != 0};
}

std::optional<TraceContext> ContextOf(const PropertyMap& properties) {
  for (const std::string_view name : {kTraceparent, kDiagnosticId}) {
    const std::string* const text = TextOf(properties, name);
    if (text == nullptr) continue;
    std::optional<TraceContext> context = ParseTraceparent(*text);
    if (!context) continue;
    context->state = StateOf(properties);
    return context;
  }
  return std::nullopt;
}

}  // namespace wharf::trace
