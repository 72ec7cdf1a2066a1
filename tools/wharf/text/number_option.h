// NumberOption: whole numbers on the command line: how many, how large, how fast, which one.
//
// The parser's own numbers let "-1" become the largest there is, and take "18446744073709551616"
// for everything; these are refused by name. Used by every command with a number, on the main
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "storage/base/status.h"

namespace wharf::tool {

// Both belong to it.
struct NumberRange {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

// All that a variable of this type can hold.
template <typename Number>
constexpr NumberRange RangeOf() {
  return {.min = 0, .max = static_cast<std::uint64_t>(std::numeric_limits<Number>::max())};
}

// Digits and nothing else. ArgumentError with one sentence that tells the range.
Result<std::uint64_t> ParseNumber(const std::string& text, const NumberRange& range);

// `take` gets what was given. `name` may have several: "--max,-n".
CLI::Option* AddNumberFunction(CLI::App& command, const std::string& name,
                               const std::function<void(std::uint64_t)>& take,
                               const std::string& help, const NumberRange& range);

// With its default shown in the help.
template <typename Number>
CLI::Option* AddNumberOption(CLI::App& command, const std::string& name, Number& number,
                             const std::string& help,
                             const NumberRange& range = RangeOf<Number>()) {
  const auto take = [&number](std::uint64_t given) { number = static_cast<Number>(given); };
  return AddNumberFunction(command, name, take, help, range)
      ->default_str(fmt::format("{}", number));
}

template <typename Number>
CLI::Option* AddNumberOption(CLI::App& command, const std::string& name,
                             std::optional<Number>& number, const std::string& help,
                             const NumberRange& range = RangeOf<Number>()) {
  const auto take = [&number](std::uint64_t given) { number = static_cast<Number>(given); };
  return AddNumberFunction(command, name, take, help, range);
}

}  // namespace wharf::tool
