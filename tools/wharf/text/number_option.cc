#include "tools/wharf/text/number_option.h"

#include <charconv>

namespace wharf::tool {
namespace {

// What a computer has as its limit means nothing to people.
bool IsOpen(const NumberRange& range) {
  return range.max >= static_cast<std::uint64_t>(std::numeric_limits<std::uint32_t>::max());
}

Status NotInRange(const std::string& text, const NumberRange& range) {
  const std::string what = IsOpen(range) ? fmt::format("from {} up", range.min)
                                         : fmt::format("from {} to {}", range.min, range.max);
  return {ErrorCode::kArgumentError, fmt::format("\"{}\" is not a whole number {}", text, what)};
}

}  // namespace

Result<std::uint64_t> ParseNumber(const std::string& text, const NumberRange& range) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool is_beyond = error == std::errc::result_out_of_range || number > range.max;
  if (is_beyond && rest == end && IsOpen(range)) {
    return Status(ErrorCode::kArgumentError, fmt::format("{} is too large a number", text));
  }
  if (error != std::errc() || rest != end || is_beyond || number < range.min) {
    return NotInRange(text, range);
  }
  return number;
}

CLI::Option* AddNumberFunction(CLI::App& command, const std::string& name,
                               const std::function<void(std::uint64_t)>& take,
                               const std::string& help, const NumberRange& range) {
  const std::string told = name.substr(0, name.find(','));
  const auto parse = [take, told, range](const std::string& text) {
    const Result<std::uint64_t> number = ParseNumber(text, range);
    if (!number.ok()) throw CLI::ValidationError(told, number.status().message());
    take(*number);
  };
  return command.add_option_function<std::string>(name, parse, help)->type_name("NUMBER");
}

}  // namespace wharf::tool
