#include "broker/config/value.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_split.h>
#include <boost/asio/ip/address_v6.hpp>
#include <fmt/format.h>

#include "broker/access/client_rules.h"
#include "broker/access/token_issuer.h"
#include "broker/config/listen_address.h"
#include "broker/config/size_text.h"
#include "broker/engine/timed_entities.h"
#include "broker/trace/endpoint.h"
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
  std::string operator()(const Text& /*text*/) const { return "the name of a folder"; }
  std::string operator()(const File& /*file*/) const { return "the name of a file"; }
  std::string operator()(const Addresses& /*addresses*/) const {
    return "ADDRESS:PORT, for example 127.0.0.1:5680";
  }
  std::string operator()(const HostNames& /*names*/) const {
    return "names of machines or addresses, for example wharf.example.org or [2001:db8::1]";
  }
  std::string operator()(const EntityPaths& /*paths*/) const {
    return "paths of entities, for example orders or news/Subscriptions/all";
  }
  std::string operator()(const Clients& /*clients*/) const {
    return "CLIENT -> RULE, for example certificate:CN=shop,O=x -> orders#sender";
  }
  std::string operator()(const TokenKeys& /*keys*/) const {
    return "ID:ALGORITHM:FILE, for example 2026:RS256:/etc/wharf/jwt.pem";
  }
  std::string operator()(const Words& /*words*/) const { return "text"; }
  std::string operator()(const Authority& /*authority*/) const {
    return "HOST or HOST:PORT, for example wharf.example.org:5681";
  }
  std::string operator()(const Endpoint& /*endpoint*/) const {
    return "http://HOST:PORT or https://HOST:PORT, with a path or without, for example "
           "http://127.0.0.1:4318";
  }
  std::string operator()(const Choice& choice) const { return WithCommas(choice); }
  std::string operator()(const Switch& /*truth*/) const { return "true or false"; }
  std::string operator()(const SwitchWithFile& /*kind*/) const {
    return "off, on, or the name of a file";
  }
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
  std::string operator()(const EntityPaths& /*paths*/) const { return "PATH"; }
  std::string operator()(const Clients& /*clients*/) const { return "CLIENT->RULE"; }
  std::string operator()(const TokenKeys& /*keys*/) const { return "ID:ALGORITHM:FILE"; }
  std::string operator()(const Words& /*words*/) const { return "TEXT"; }
  std::string operator()(const Authority& /*authority*/) const { return "HOST[:PORT]"; }
  std::string operator()(const Endpoint& /*endpoint*/) const {
    return "http[s]://HOST:PORT[/PATH]";
  }
  std::string operator()(const Choice& choice) const {
    return fmt::format("{}", fmt::join(choice.names, "|"));
  }
  std::string operator()(const Switch& /*truth*/) const { return ""; }
  std::string operator()(const SwitchWithFile& /*kind*/) const { return "[FILE]"; }
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
  std::string operator()(const Words& words) const {
    return QuotedForFile(words.field.of(settings));
  }
  std::string operator()(const Authority& authority) const {
    return QuotedForFile(authority.field.of(settings));
  }
  std::string operator()(const Endpoint& endpoint) const {
    return QuotedForFile(endpoint.field.of(settings));
  }
  // One alone is as good as an array of one.
  std::string operator()(const List& list) const {
    const std::vector<std::string>& texts = list.field.of(settings);
    if (texts.size() == 1) return QuotedForFile(texts.front());
    std::vector<std::string> quoted;
    quoted.reserve(texts.size());
    for (const std::string& text : texts) quoted.push_back(QuotedForFile(text));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  }
  std::string operator()(const Choice& choice) const {
    return QuotedForFile(choice.field.of(settings));
  }
  std::string operator()(const SwitchWithFile& kind) const {
    return QuotedForFile(kind.field.of(settings));
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

// "[::1]".
bool IsBracketedAddress(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(std::string(text.substr(1, text.size() - 2)), error);
  return !error;
}

// As it stands in what a client asks for, without a port.
bool IsHostName(const std::string& name) {
  constexpr std::size_t kNameBytesMax = 253;
  if (IsBracketedAddress(name)) return true;
  const auto is_part = [](unsigned char letter) {
    return absl::ascii_isalnum(letter) || letter == '-' || letter == '.' || letter == '_';
  };
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), is_part);
}

// The system would take what stands before it for all.
bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

// Any address of a machine, which is none that others find.
bool IsUnspecified(std::string_view host) {
  if (IsBracketedAddress(host)) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_unspecified();
}

// Without a port; of an address in brackets colons are none.
std::string_view HostOf(std::string_view authority) {
  const std::size_t host_end = authority.starts_with('[') ? authority.find(']') : 0;
  return authority.substr(0, authority.find(':', std::min(host_end, authority.size())));
}

// Empty is none.
bool IsAuthority(std::string_view text) {
  if (text.empty()) return true;
  const std::string_view host = HostOf(text);
  const std::size_t colon = text.find(':', host.size());
  if (!IsHostName(std::string(host))) return false;
  if (colon == std::string_view::npos) return true;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
  return error == std::errc() && rest == end && port != 0;
}

// What the files hold is seen when they are read.
Status CheckTokenKeys(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    WHARF_RETURN_IF_ERROR(access::TokenKeyPlace::Parse(text).status());
  }
  return {};
}

Status CheckEndpoint(const std::string& text) {
  return text.empty() ? Status() : trace::ParseEndpoint(text).status();
}

// Why the texts of a list are none; ok: they are good.
Status CheckTexts(const Key& key, const std::vector<std::string>& texts) {
  if (std::holds_alternative<Addresses>(key.kind)) return ParseListenAddresses(texts).status();
  if (std::holds_alternative<EntityPaths>(key.kind)) return TimedEntities::Check(texts);
  if (std::holds_alternative<Clients>(key.kind)) return access::ClientRules::Parse(texts).status();
  if (std::holds_alternative<TokenKeys>(key.kind)) return CheckTokenKeys(texts);
  const bool is_good = std::all_of(texts.begin(), texts.end(), IsHostName);
  return is_good ? Status() : Status(ErrorCode::kArgumentError, "");
}

// The same of one of them alone.
Status CheckText(const Key& key, const std::string& text) {
  if (std::holds_alternative<Addresses>(key.kind)) return ParseListenAddress(text).status();
  return CheckTexts(key, {text});
}

template <typename T>
bool Put(const Field<T>& field, Settings& settings, T value, T min, T max) {
  if (value < min || value > max) return false;
  field.of(settings) = value;
  return true;
}

// Whether the key takes the value, which is then put where it belongs.
struct Setter {
  const Key& key;
  const Value& value;
  Settings& settings;

  const std::string* text() const { return std::get_if<std::string>(&value); }

  bool Take(const Field<std::string>& field) const {
    if (text() == nullptr || HasNul(*text())) return false;
    field.of(settings) = *text();
    return true;
  }
  // It is needed, and so never empty.
  bool operator()(const Text& kind) const {
    return text() != nullptr && !text()->empty() && Take(kind.field);
  }
  bool operator()(const File& kind) const { return Take(kind.field); }
  bool operator()(const Words& kind) const { return Take(kind.field); }
  bool operator()(const List& kind) const {
    const auto texts = TextsOf(value);
    if (!texts || !CheckTexts(key, *texts).ok()) return false;
    kind.field.of(settings) = *texts;
    return true;
  }
  bool operator()(const Authority& kind) const {
    const bool is_good = text() != nullptr && IsAuthority(*text());
    return is_good && !(kind.is_told && IsUnspecified(HostOf(*text()))) && Take(kind.field);
  }
  bool operator()(const Endpoint& kind) const {
    return text() != nullptr && CheckEndpoint(*text()).ok() && Take(kind.field);
  }
  bool operator()(const Choice& kind) const {
    const auto& names = kind.names;
    const bool is_known =
        text() != nullptr && std::find(names.begin(), names.end(), *text()) != names.end();
    return is_known && Take(kind.field);
  }
  bool operator()(const Switch& kind) const {
    const bool* const truth = std::get_if<bool>(&value);
    if (truth == nullptr) return false;
    kind.field.of(settings) = *truth;
    return true;
  }
  // What reads like a switch may be one.
  bool operator()(const SwitchWithFile& kind) const {
    const bool* const truth = std::get_if<bool>(&value);
    if (truth == nullptr) return text() != nullptr && !text()->empty() && Take(kind.field);
    kind.field.of(settings) = *truth ? "on" : "off";
    return true;
  }
  bool operator()(const Number& kind) const {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0) return false;
    return Put(kind.field, settings, static_cast<std::size_t>(*number), kind.min, kind.max);
  }
  bool operator()(const Size& kind) const {
    const auto bytes = text() == nullptr ? std::nullopt : ParseSize(*text());
    return bytes && Put(kind.field, settings, *bytes, kind.min, kind.max);
  }
  bool operator()(const Time& kind) const {
    if (text() == nullptr) return false;
    const Result<Duration> duration = ParseDuration(*text());
    return duration.ok() && Put(kind.field, settings, *duration, kind.min, kind.max);
  }
};

// Why it is none, beside what all keys say, if that is a list or an endpoint.
std::string WhyNot(const Key& key, const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (text != nullptr && HasNul(*text)) return "; no NUL stands in it";
  if (text != nullptr && std::holds_alternative<Endpoint>(key.kind)) {
    return "; " + CheckEndpoint(*text).message();
  }
  if (text != nullptr && std::holds_alternative<Authority>(key.kind) &&
      IsUnspecified(HostOf(*text))) {
    return "; any address of this machine is none that others find";
  }
  const auto texts = TextsOf(value);
  if (!texts || !key.is_list()) return "";
  const Status why = CheckTexts(key, *texts);
  return why.message().empty() ? "" : "; " + why.message();
}

// Of several the one that is not good, if it is one.
Value Culprit(const Key& key, const Value& value) {
  const std::optional<std::size_t> bad = BadTextOf(key, value);
  return bad ? Value(TextsOf(value)->at(*bad)) : value;
}

// A user and a password before the host, which the key does not take.
bool MayHoldPassword(const Key& key, const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  return text != nullptr && std::holds_alternative<Endpoint>(key.kind) &&
         text->find('@') != std::string::npos;
}

// What is there instead; of a list that is wrong as a whole the reason says it.
std::string NotThis(const Key& key, const Value& value) {
  if (MayHoldPassword(key, value)) return ", not what stands there (it is not shown)";
  const Value culprit = Culprit(key, value);
  const auto* const texts = std::get_if<std::vector<std::string>>(&culprit);
  const bool is_said = texts != nullptr && !texts->empty() && key.is_list();
  return is_said ? "" : ", not " + ToText(culprit);
}

// The name that was probably meant.
std::string Meant(const Key& key, const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  const auto* const choice = std::get_if<Choice>(&key.kind);
  if (text == nullptr || choice == nullptr) return "";
  const auto near = Nearest(*text, {choice->names.begin(), choice->names.end()});
  return near ? fmt::format("; did you mean \"{}\"?", *near) : "";
}

// At semicolons, but for those behind a backslash, as subjects of certificates have them.
std::vector<std::string> SplitAtSemicolons(const std::string& text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ';') {
      parts.emplace_back();
      continue;
    }
    parts.back() += text[i];
    if (text[i] == '\\' && i + 1 < text.size()) parts.back() += text[++i];
  }
  return parts;
}

// None in an empty text.
std::vector<std::string> SplitList(const Key& key, const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  if (key.separator() == ';') {
    parts = SplitAtSemicolons(text);
  } else {
    parts = absl::StrSplit(text, ',');
  }
  for (std::string& part : parts) absl::StripAsciiWhitespace(&part);
  return parts;
}

}  // namespace

Value ValueOfText(const Key& key, const std::string& text) {
  const bool is_switch =
      std::holds_alternative<Switch>(key.kind) || std::holds_alternative<SwitchWithFile>(key.kind);
  if (is_switch && (text == "true" || text == "false")) return text == "true";
  if (key.is_list()) return SplitList(key, text);
  if (!std::holds_alternative<Number>(key.kind)) return text;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return text;
  return number;
}

Status Set(const Key& key, const Value& value, Settings& settings) {
  if (std::visit(Setter{key, value, settings}, key.kind)) return Status::Ok();
  return {ErrorCode::kArgumentError, fmt::format("{}{}{}{}", AllowedOf(key), WhyNot(key, value),
                                                 NotThis(key, value), Meant(key, value))};
}

std::optional<std::size_t> BadTextOf(const Key& key, const Value& value) {
  const auto texts = TextsOf(value);
  if (!texts || !key.is_list()) return std::nullopt;
  const auto bad = std::find_if(texts->begin(), texts->end(), [&key](const std::string& text) {
    return !CheckText(key, text).ok();
  });
  if (bad == texts->end()) return std::nullopt;
  return static_cast<std::size_t>(bad - texts->begin());
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
