#include "broker/doors/amqp/jms/selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "broker/core/messages/text.h"
#include "broker/doors/amqp/jms/selector_words.h"
#include "broker/filter/sql_filter.h"

namespace wharf::amqp::jms {
namespace {

using Kind = SelectorWord::Kind;

// The headers that JMS lets a selector ask for, and group ids.
struct Header {
  std::string_view name;
  std::string_view property;
};
constexpr Header kHeaders[] = {
    {"JMSMessageID", "sys.MessageId"},
    {"JMSCorrelationID", "sys.CorrelationId"},
    {"JMSType", "sys.Label"},
    {"JMSPriority", "sys.Priority"},
    {"JMSTimestamp", "sys.CreationTimeMs"},
    {"JMSDeliveryMode", "sys.DeliveryMode"},
    {"JMSXGroupID", "sys.SessionId"},
};

constexpr std::string_view kBetweenTakes = "BETWEEN takes an expression, AND and another";

Status Wrong(std::string_view why) {
  return {ErrorCode::kFilterException, fmt::format("jms-selector: {}", why)};
}

// In brackets any name is one, also what is a word of the filter's.
Result<std::string> PropertyOf(const std::string& name) {
  const auto* const header = std::find_if(std::begin(kHeaders), std::end(kHeaders),
                                          [&](const Header& each) { return each.name == name; });
  if (header != std::end(kHeaders)) return std::string(header->property);
  if (name.starts_with("JMS")) {
    return Wrong(fmt::format("'{}' cannot be selected by", Shortened(name, 60)));
  }
  return fmt::format("[{}]", name);
}

// As Java writes numbers: of base 16 and 8, and with the letter of a type.
Result<std::string> NumberOf(std::string text) {
  const bool is_hexadecimal = absl::StartsWithIgnoreCase(text, "0x");
  const bool is_whole = text.find_first_of(".eE") == std::string::npos || is_hexadecimal;
  if (absl::EndsWithIgnoreCase(text, "l") ||
      (!is_hexadecimal &&
       (absl::EndsWithIgnoreCase(text, "f") || absl::EndsWithIgnoreCase(text, "d")))) {
    // A whole number with the letter of a floating type is one of these.
    const bool becomes_floating = is_whole && !absl::EndsWithIgnoreCase(text, "l");
    text.pop_back();
    if (becomes_floating) return text + ".0";
  }
  if (!is_whole || text.size() < 2 || text[0] != '0') return text;
  const int base = is_hexadecimal ? 16 : 8;
  const char* const begin = text.data() + (is_hexadecimal ? 2 : 1);
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto read = std::from_chars(begin, end, value, base);
  if (read.ec != std::errc() || read.ptr != end) {
    return Wrong(fmt::format("'{}' is no number", Shortened(text, 60)));
  }
  return std::to_string(value);
}

// One word of the filter, or a few that stand for one of the selector.
struct Piece {
  std::string text;
  // Where that begins in the selector, in bytes.
  std::size_t at = 0;
  // Of an arithmetic expression, or a parenthesis.
  bool is_operand = false;
  int opens = 0;
};

std::string TextOf(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += ' ';
    text += piece.text;
  }
  return text;
}

// What the filter says of its column, which is of no use to who wrote the selector.
constexpr std::string_view kWrongAt = "the filter is wrong at column ";

Status WrongInSelector(std::string_view selector, const std::vector<Piece>& pieces,
                       std::string_view why) {
  if (!why.starts_with(kWrongAt)) return Wrong(why);
  why.remove_prefix(kWrongAt.size());
  std::size_t column = 0;
  const char* const end = std::from_chars(why.data(), why.data() + why.size(), column).ptr;
  why.remove_prefix(static_cast<std::size_t>(end - why.data()));
  // Behind all of them the text has ended.
  std::size_t at = selector.size();
  std::size_t begin = 1;
  for (const Piece& piece : pieces) {
    const std::size_t next = begin + CharactersIn(piece.text) + 1;
    if (column + 1 < next) {
      at = piece.at;
      break;
    }
    begin = next;
  }
  return Wrong(
      fmt::format("it is wrong at column {}{}", CharactersIn(selector.substr(0, at)) + 1, why));
}

class Rewriter {
 public:
  explicit Rewriter(std::vector<SelectorWord> words) : words_(std::move(words)) {}

  Result<std::vector<Piece>> Rewrite() {
    for (at_ = 0; at_ < words_.size(); ++at_) {
      if (words_[at_].Is("BETWEEN")) {
        WHARF_RETURN_IF_ERROR(Between());
        continue;
      }
      WHARF_RETURN_IF_ERROR(Add(at_));
    }
    return std::move(out_);
  }

 private:
  static bool IsOperand(const SelectorWord& word) {
    return word.kind == Kind::kName || word.kind == Kind::kNumber || word.kind == Kind::kText ||
           word.kind == Kind::kBoolean || word.kind == Kind::kArithmetic;
  }

  static Result<std::string> TextOf(const SelectorWord& word) {
    if (word.kind == Kind::kName) return PropertyOf(word.text);
    if (word.kind == Kind::kNumber) return NumberOf(word.text);
    return word.text;
  }

  Status Add(std::size_t at) {
    const SelectorWord& word = words_[at];
    Result<std::string> text = TextOf(word);
    if (!text.ok()) return text.status();
    if (StandsAlone(at)) *text += " = TRUE";
    const int opens = word.Is("(") ? 1 : word.Is(")") ? -1 : 0;
    out_.push_back({*std::move(text), word.at, IsOperand(word) || opens != 0, opens});
    return {};
  }

  // A property, TRUE or FALSE where a condition is due, in parentheses or not.
  bool StandsAlone(std::size_t at) const {
    if (words_[at].kind != Kind::kName && words_[at].kind != Kind::kBoolean) return false;
    std::size_t begin = at;
    std::size_t end = at + 1;
    while (begin > 0 && end < words_.size() && words_[begin - 1].Is("(") && words_[end].Is(")")) {
      --begin;
      ++end;
    }
    const bool begins = begin == 0 || words_[begin - 1].Is("(") || words_[begin - 1].Is("AND") ||
                        words_[begin - 1].Is("OR") || words_[begin - 1].Is("NOT");
    const bool ends = end == words_.size() || words_[end].Is(")") || words_[end].Is("AND") ||
                      words_[end].Is("OR");
    return begins && ends && !IsInList(begin);
  }

  // `x IN (y)`.
  bool IsInList(std::size_t begin) const {
    return begin > 1 && words_[begin - 1].Is("(") && words_[begin - 2].Is("IN");
  }

  // The expression that was written last.
  std::size_t LastOperand() const {
    std::size_t begin = out_.size();
    int depth = 0;
    while (begin > 0 && out_[begin - 1].is_operand) {
      const Piece& piece = out_[begin - 1];
      if (piece.opens > 0 && depth == 0) break;
      depth -= piece.opens;
      --begin;
    }
    return begin;
  }

  // The expression that begins at `at_`, which is behind it then.
  Result<std::vector<Piece>> NextOperand() {
    std::vector<Piece> operand;
    int depth = 0;
    for (; at_ < words_.size(); ++at_) {
      const SelectorWord& word = words_[at_];
      if (word.Is(")") && depth == 0) break;
      if (!IsOperand(word) && !word.Is("(") && !word.Is(")")) break;
      depth += word.Is("(") ? 1 : word.Is(")") ? -1 : 0;
      Result<std::string> next = TextOf(word);
      if (!next.ok()) return next.status();
      operand.push_back({*std::move(next), word.at});
    }
    if (operand.empty() || depth != 0) return Wrong(kBetweenTakes);
    return operand;
  }

  // `x BETWEEN a AND b` is `(x >= a AND x <= b)`; with NOT before it its opposite.
  Status Between() {
    const bool is_negated = !out_.empty() && out_.back().text == "NOT";
    if (is_negated) out_.pop_back();
    const std::size_t begin = LastOperand();
    const std::vector<Piece> operand(out_.begin() + static_cast<std::ptrdiff_t>(begin), out_.end());
    if (operand.empty()) return Wrong("what stands before BETWEEN is no expression");
    out_.resize(begin);
    const std::size_t at = words_[at_++].at;
    const Result<std::vector<Piece>> least = NextOperand();
    if (!least.ok()) return least.status();
    if (at_ >= words_.size() || !words_[at_].Is("AND")) return Wrong(kBetweenTakes);
    const std::size_t at_and = words_[at_++].at;
    const Result<std::vector<Piece>> most = NextOperand();
    if (!most.ok()) return most.status();
    --at_;
    AddDone(operand);
    out_[begin].text.insert(0, is_negated ? "NOT (" : "(");
    AddDone({{">=", at}});
    AddDone(*least);
    AddDone({{"AND", at_and}});
    AddDone(operand);
    AddDone({{"<=", at}});
    AddDone(*most);
    out_.back().text += ')';
    return {};
  }

  // No part of what is an operand of anything more.
  void AddDone(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) out_.push_back({piece.text, piece.at});
  }

  const std::vector<SelectorWord> words_;
  std::size_t at_ = 0;
  std::vector<Piece> out_;
};

}  // namespace

Result<std::string> FilterTextOf(std::string_view selector) {
  if (selector.size() > kSelectorBytesMax) {
    return Wrong(fmt::format("it is longer than {} bytes", kSelectorBytesMax));
  }
  Result<std::vector<SelectorWord>> words = SelectorWordsOf(selector);
  if (!words.ok()) return Wrong(words.status().message());
  if (words->empty()) return std::string();
  const Result<std::vector<Piece>> pieces = Rewriter(*std::move(words)).Rewrite();
  if (!pieces.ok()) return pieces.status();
  std::string text = TextOf(*pieces);
  const Result<SqlFilter> filter = SqlFilter::Compile(text);
  if (!filter.ok()) return WrongInSelector(selector, *pieces, filter.status().message());
  return text;
}

}  // namespace wharf::amqp::jms
