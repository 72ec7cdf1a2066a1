#include "broker/doors/amqp/jms/selector_words.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "absl/strings/ascii.h"
#include "broker/core/messages/text.h"

namespace wharf::amqp::jms {
namespace {

using Kind = SelectorWord::Kind;

constexpr std::string_view kWords[] = {"AND",  "BETWEEN", "ESCAPE", "IN", "IS",
                                       "LIKE", "NOT",     "NULL",   "OR"};
constexpr std::string_view kSigns[] = {"<>", "<=", ">=", "=", "<", ">", "(", ")", ","};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
// A Java identifier; what is no ASCII is a letter, and the filter looks at it again.
bool BeginsName(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalpha(byte) || c == '_' || c == '$' || byte >= 0x80;
}
bool IsInName(char c) { return BeginsName(c) || IsDigit(c); }

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  Result<std::vector<SelectorWord>> Read() {
    while (true) {
      while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      }
      if (at_ == text_.size()) return std::move(words_);
      const bool is_known = Quoted() || Number() || Name() || Arithmetic() || Sign();
      if (!is_known) {
        return Status(ErrorCode::kFilterException,
                      fmt::format("it is wrong at column {}: no selector has what begins here",
                                  CharactersIn(text_.substr(0, at_)) + 1));
      }
    }
  }

 private:
  void Add(Kind kind, std::size_t size) {
    words_.push_back({kind, std::string(text_.substr(at_, size)), at_});
    at_ += size;
  }

  // With a quote written twice in it.
  bool Quoted() {
    if (text_[at_] != '\'') return false;
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      if (text_[end] != '\'') {
        ++end;
      } else if (end + 1 < text_.size() && text_[end + 1] == '\'') {
        end += 2;
      } else {
        Add(Kind::kText, end + 1 - at_);
        return true;
      }
    }
    return false;
  }

  // Up to where it cannot go on; which of them are numbers is seen later.
  bool Number() {
    const bool begins = IsDigit(text_[at_]) ||
                        (text_[at_] == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]));
    if (!begins) return false;
    std::size_t end = at_;
    while (end < text_.size() && (IsInName(text_[end]) || text_[end] == '.' || IsSignAt(end)))
      ++end;
    Add(Kind::kNumber, end - at_);
    return true;
  }
  // Of an exponent.
  bool IsSignAt(std::size_t at) const {
    const bool is_hexadecimal = text_.size() > at_ + 1 && (text_[at_ + 1] | 0x20) == 'x';
    return !is_hexadecimal && (text_[at] == '+' || text_[at] == '-') &&
           (text_[at - 1] | 0x20) == 'e';
  }

  bool Name() {
    if (!BeginsName(text_[at_])) return false;
    std::size_t end = at_;
    while (end < text_.size() && IsInName(text_[end])) ++end;
    std::string upper(text_.substr(at_, end - at_));
    absl::AsciiStrToUpper(&upper);
    const bool is_boolean = upper == "TRUE" || upper == "FALSE";
    const bool is_word = std::find(std::begin(kWords), std::end(kWords), upper) != std::end(kWords);
    Add(is_boolean ? Kind::kBoolean : is_word ? Kind::kOther : Kind::kName, end - at_);
    if (is_word) words_.back().text = upper;
    return true;
  }

  bool Arithmetic() {
    if (std::string_view("+-*/").find(text_[at_]) == std::string_view::npos) return false;
    Add(Kind::kArithmetic, 1);
    return true;
  }

  bool Sign() {
    for (const std::string_view sign : kSigns) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      Add(Kind::kOther, sign.size());
      return true;
    }
    return false;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::vector<SelectorWord> words_;
};

}  // namespace

Result<std::vector<SelectorWord>> SelectorWordsOf(std::string_view selector) {
  return Words(selector).Read();
}

}  // namespace wharf::amqp::jms
