#include "broker/doors/http/rest/json_text.h"

#include <exception>

#include <absl/strings/str_replace.h>
#include <fmt/format.h>

namespace wharf::rest {
namespace {

using nlohmann::json;

// BrokerProperties in a message in a batch stand at the second; nobody needs more than a few.
constexpr int kDepthMax = 16;
constexpr std::size_t kEventsMax = 300'000;

// Thrown by us out of the parser, and caught below.
class TooMuch final : public std::exception {
 public:
  const char* what() const noexcept override { return "it is too deep, or too much"; }
};

// The parser leaves it as it is.
std::string ToAsciiButDelete(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Result<json> ParseJson(std::string_view name, std::string_view text) {
  std::size_t events = 0;
  const auto bound = [&events](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    if (depth > kDepthMax || ++events > kEventsMax) throw TooMuch();
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), bound);
  } catch (const std::exception& error) {
    const bool is_ours = dynamic_cast<const TooMuch*>(&error) != nullptr;
    return Status(ErrorCode::kArgumentError,
                  is_ours ? fmt::format("{} is JSON, but {}", name, error.what())
                          : fmt::format("{} must be JSON, and is none", name));
  }
}

std::string ToAscii(const nlohmann::ordered_json& value) {
  return absl::StrReplaceAll(ToAsciiButDelete(value), {{"\x7f", "\\u007f"}});
}

std::string QuotedAscii(std::string_view text) {
  return ToAscii(nlohmann::ordered_json(std::string(text)));
}

}  // namespace wharf::rest
