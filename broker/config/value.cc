#include "broker/config/value.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include "broker/config/listen_address.h"
#include "broker/config/size_text.h"
#include "storage/base/duration_text.h"
#include "storage/base/nearest_word.h"

namespace wharf::config {
namespace {

// Of what is quoted in a sentence.
constexpr std::size_t kQuotedBytesMax = 80;

std::string QuotedForPeople(const std::string& text) {
  if (text.size() <= kQuotedBytesMax) return fmt::format("\"{}\"", absl::CHexEscape(text));
  return fmt::format("\"{}...\"", absl::CHexEscape(text.substr(0, kQuotedBytesMax)));
}

// A string of TOML. What is not UTF-8 stays as it is: no file can hold it.
std::string QuotedForFile(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      quoted += fmt::format("\\{}", letter);
    } else if (code < 0x20 || code == 0x7f) {
      quoted += fmt::format("\\u{:04X}", code);
    } else {
      quoted += letter;
    }
  }
  return quoted + '"';
}

std::string ToText(const Value& value) {
  struct Shown {
    std::string operator()(const std::string& text) const { return QuotedForPeople(text); }
    std::string operator()(const std::vector<std::string>& texts) const {
      return texts.empty() ? "\"\"" : "an array";
    }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(const Unfit& unfit) const { return std::string(unfit.what); }
  };
  return std::visit(Shown{}, value);
}

std::string WithCommas(const Choice& choice) {
  const auto but_last = choice.names.first(choice.names.size() - 1);
  return fmt::format("{} or {}", fmt::join(but_last, ", "), choice.names.back());
}

struct Allowed {
  std::string operator()(const Text& /*text*/) const { return "text"; }
  std::string operator()(const File& /*file*/) const { return "the name of a file"; }
  std::string operator()(const Addresses& /*addresses*/) const {
    return "ADDRESS:PORT, for example 127.0.0.1:5680";
  }
  std::string operator()(const HostNames& /*names*/) const {
    return "names of machines, for example wharf.example.org";
  }
  std::string operator()(const Choice& choice) const { return WithCommas(choice); }
  std::string operator()(const Switch& /*truth*/) const { return "true or false"; }
  std::string operator()(const Number& number) const {
    return fmt::format("a number from {} to {}", number.min, number.max);
  }
  std::string operator()(const Size& size) const {
    return fmt::format("a size from {} to {}, in B, KiB, MiB, GiB or TiB", FormatSize(size.min),
                       FormatSize(size.max));
  }
  std::string operator()(const Time& time) const {
    return fmt::format("a time from {} to {}, for example 30s, 5m or 1h30m",
                       FormatDuration(time.min), FormatDuration(time.max));
  }
};

struct Syntax {
  std::string operator()(const Text& /*text*/) const { return "TEXT"; }
  std::string operator()(const File& /*file*/) const { return "FILE"; }
  std::string operator()(const Addresses& /*addresses*/) const { return "ADDRESS:PORT"; }
  std::string operator()(const HostNames& /*names*/) const { return "NAME"; }
  std::string operator()(const Choice& choice) const {
    return fmt::format("{}", fmt::join(choice.names, "|"));
  }
  std::string operator()(const Switch& /*truth*/) const { return ""; }
  std::string operator()(const Number& number) const {
    return fmt::format("{}..{}", number.min, number.max);
  }
  std::string operator()(const Size& size) const {
    return fmt::format("{}..{}|{}", FormatSize(size.min), FormatSize(size.max), size.flag_unit);
  }
  std::string operator()(const Time& time) const {
    return fmt::format("{}..{}|SECONDS", FormatDuration(time.min), FormatDuration(time.max));
  }
};

struct Literal {
  const Settings& settings;

  std::string operator()(const Text& text) const { return QuotedForFile(text.field.of(settings)); }
  std::string operator()(const File& file) const { return QuotedForFile(file.field.of(settings)); }
  // One alone is as good as an array of one.
  std::string operator()(const List& list) const {
    const std::vector<std::string>& texts = list.field.of(settings);
    if (texts.size() == 1) return QuotedForFile(texts.front());
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(QuotedForFile(text));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  }
  std::string operator()(const Choice& choice) const {
    return QuotedForFile(choice.field.of(settings));
  }
  std::string operator()(const Switch& truth) const {
    return truth.field.of(settings) ? "true" : "false";
  }
  std::string operator()(const Number& number) const {
    return fmt::format("{}", number.field.of(settings));
  }
  std::string operator()(const Size& size) const {
    return QuotedForFile(FormatSize(size.field.of(settings)));
  }
  std::string operator()(const Time& time) const {
    return QuotedForFile(FormatDuration(time.field.of(settings)));
  }
};

// What a list is told; nothing if that is none.
std::optional<std::vector<std::string>> TextsOf(const Value& value) {
  if (const auto* const text = std::get_if<std::string>(&value)) return std::vector{*text};
  const auto* const texts = std::get_if<std::vector<std::string>>(&value);
  return texts == nullptr ? std::nullopt : std::optional(*texts);
}

// As it stands in what a client asks for, without a port.
bool IsHostName(const std::string& name) {
  constexpr std::size_t kNameBytesMax = 253;
  const auto is_part = [](unsigned char letter) {
    return absl::ascii_isalnum(letter) || letter == '-' || letter == '.' || letter == '_';
  };
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), is_part);
}

template <typename T>
bool Put(const Field<T>& field, Settings& settings, T value, T min, T max) {
  if (value < min || value > max) return false;
  field.of(settings) = value;
  return true;
}

// Whether the key takes the value, which is then put where it belongs.
struct Setter {
  const Value& value;
  Settings& settings;

  const std::string* text() const { return std::get_if<std::string>(&value); }

  bool Take(const Field<std::string>& field) const {
    if (text() == nullptr) return false;
    field.of(settings) = *text();
    return true;
  }
  bool operator()(const Text& key) const { return Take(key.field); }
  bool operator()(const File& key) const { return Take(key.field); }
  bool operator()(const Addresses& key) const {
    const auto texts = TextsOf(value);
    if (!texts || !ParseListenAddresses(*texts).ok()) return false;
    key.field.of(settings) = *texts;
    return true;
  }
  bool operator()(const HostNames& key) const {
    const auto texts = TextsOf(value);
    if (!texts || !std::all_of(texts->begin(), texts->end(), IsHostName)) return false;
    key.field.of(settings) = *texts;
    return true;
  }
  bool operator()(const Choice& key) const {
    const bool is_known = text() != nullptr &&
                          std::find(key.names.begin(), key.names.end(), *text()) != key.names.end();
    return is_known && Take(key.field);
  }
  bool operator()(const Switch& key) const {
    const bool* const truth = std::get_if<bool>(&value);
    if (truth == nullptr) return false;
    key.field.of(settings) = *truth;
    return true;
  }
  bool operator()(const Number& key) const {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0) return false;
    return Put(key.field, settings, static_cast<std::size_t>(*number), key.min, key.max);
  }
  bool operator()(const Size& key) const {
    const auto bytes = text() == nullptr ? std::nullopt : ParseSize(*text());
    return bytes && Put(key.field, settings, *bytes, key.min, key.max);
  }
  bool operator()(const Time& key) const {
    if (text() == nullptr) return false;
    const Result<Duration> duration = ParseDuration(*text());
    return duration.ok() && Put(key.field, settings, *duration, key.min, key.max);
  }
};

// Why addresses are none, beside what all keys say.
std::string WhyNot(const Key& key, const Value& value) {
  const auto texts = TextsOf(value);
  if (!texts || !std::holds_alternative<Addresses>(key.kind)) return "";
  return "; " + ParseListenAddresses(*texts).status().message();
}

// Of several the one that is not good, if it is one.
Value Culprit(const Key& key, const Value& value) {
  const auto texts = TextsOf(value);
  if (!texts || !key.is_list()) return value;
  const bool has_addresses = std::holds_alternative<Addresses>(key.kind);
  for (const std::string& text : *texts) {
    if (!(has_addresses ? ParseListenAddress(text).ok() : IsHostName(text))) return text;
  }
  return value;
}

// The name that was probably meant.
std::string Meant(const Key& key, const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  const auto* const choice = std::get_if<Choice>(&key.kind);
  if (text == nullptr || choice == nullptr) return "";
  const auto near = Nearest(*text, {choice->names.begin(), choice->names.end()});
  return near ? fmt::format("; did you mean \"{}\"?", *near) : "";
}

// None in an empty text.
std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  if (!text.empty()) parts = absl::StrSplit(text, ',');
  for (std::string& part : parts) absl::StripAsciiWhitespace(&part);
  return parts;
}

}  // namespace

Value ValueOfText(const Key& key, const std::string& text) {
  if (std::holds_alternative<Switch>(key.kind) && (text == "true" || text == "false")) {
    return text == "true";
  }
  if (key.is_list()) return SplitAtCommas(text);
  if (!std::holds_alternative<Number>(key.kind)) return text;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return text;
  return number;
}

Status Set(const Key& key, const Value& value, Settings& settings) {
  if (std::visit(Setter{value, settings}, key.kind)) return Status::Ok();
  return {ErrorCode::kArgumentError,
          fmt::format("{}{}, not {}{}", AllowedOf(key), WhyNot(key, value),
                      ToText(Culprit(key, value)), Meant(key, value))};
}

void Copy(const Key& key, const Settings& from, Settings& to) {
  std::visit([&](const auto& kind) { kind.field.of(to) = kind.field.of(from); }, key.kind);
}

std::string AllowedOf(const Key& key) { return std::visit(Allowed{}, key.kind); }

std::string SyntaxOf(const Key& key) { return std::visit(Syntax{}, key.kind); }

std::string LiteralOf(const Key& key, const Settings& settings) {
  return std::visit(Literal{settings}, key.kind);
}

}  // namespace wharf::config
