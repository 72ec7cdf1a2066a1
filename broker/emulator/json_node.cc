#include "broker/emulator/json_node.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace wharf::emulator {
namespace {

using nlohmann::json;

constexpr std::size_t kShownBytesMax = 80;

std::string Shortened(std::string_view text) {
  const bool is_long = text.size() > kShownBytesMax;
  return absl::CHexEscape(std::string(text.substr(0, kShownBytesMax))) + (is_long ? "..." : "");
}

// Walks over the text, and counts its lines for whoever reads.
class CountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names of the standard library.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  CountingIterator(const char* at, std::size_t& line) : at_(at), line_(&line) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

// Hears what the parser finds, and makes the tree. The parser keeps no stack that a text could
// exhaust.
class TreeBuilder final : public json::json_sax_t {
 public:
  explicit TreeBuilder(const std::size_t& line) : line_(line) {}

  JsonNode&& root() { return std::move(root_); }
  const std::string& wrong() const { return wrong_; }

  bool null() override { return Put({}); }
  bool boolean(bool truth) override {
    return Put({.kind = JsonNode::Kind::kTruth, .truth = truth});
  }
  bool number_integer(json::number_integer_t whole) override {
    return Put({.kind = JsonNode::Kind::kWhole, .whole = whole});
  }
  bool number_unsigned(json::number_unsigned_t whole) override {
    constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
    if (whole > static_cast<json::number_unsigned_t>(kLargest)) {
      return number_float(static_cast<double>(whole), {});
    }
    return number_integer(static_cast<std::int64_t>(whole));
  }
  bool number_float(json::number_float_t fraction, const std::string& /*text*/) override {
    return Put({.kind = JsonNode::Kind::kFraction, .fraction = fraction});
  }
  bool string(std::string& text) override {
    return Put({.kind = JsonNode::Kind::kText, .text = std::move(text)});
  }
  // There is none in a text.
  bool binary(json::binary_t& /*bytes*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return Open(JsonNode::Kind::kObject); }
  bool start_array(std::size_t /*size*/) override { return Open(JsonNode::Kind::kArray); }
  bool end_object() override { return CheckNames(*open_.back()) && Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    name_ = std::move(name);
    name_line_ = line_;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& last,
                   const nlohmann::detail::exception& error) override {
    // Behind its own number and place.
    std::string_view why = error.what();
    const std::size_t column = why.find("column ");
    const std::size_t colon = why.find(": ", column == std::string_view::npos ? 0 : column);
    if (colon != std::string_view::npos) why.remove_prefix(colon + 2);
    // The end of a line may have ended what is wrong.
    const std::size_t line = line_ - (last.ends_with("<U+000A>") ? 1 : 0);
    return Refuse(line, fmt::format("it is no JSON: {}", Shortened(why)));
  }

 private:
  bool Refuse(std::size_t line, std::string_view why) {
    wrong_ = fmt::format("line {}: {}", line, why);
    return false;
  }

  // Where the next value goes.
  JsonNode* Add(JsonNode node) {
    if (open_.empty()) {
      node.line = line_;
      root_ = std::move(node);
      return &root_;
    }
    const bool is_member = open_.back()->kind == JsonNode::Kind::kObject;
    node.line = is_member ? name_line_ : line_;
    if (is_member) node.name = std::move(name_);
    return &open_.back()->children.emplace_back(std::move(node));
  }

  bool Put(JsonNode node) {
    if (++values_ > kJsonValuesMax) {
      return Refuse(line_, fmt::format("there are more than {} values", kJsonValuesMax));
    }
    Add(std::move(node));
    return true;
  }

  bool Open(JsonNode::Kind kind) {
    if (open_.size() == kJsonDepthMax) {
      return Refuse(line_, fmt::format("it is deeper than {}", kJsonDepthMax));
    }
    if (!Put({.kind = kind})) return false;
    open_.push_back(open_.empty() ? &root_ : &open_.back()->children.back());
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  // Of two of one name nobody knows which is meant.
  bool CheckNames(const JsonNode& object) {
    std::vector<const JsonNode*> members;
    for (const JsonNode& member : object.children) members.push_back(&member);
    std::stable_sort(members.begin(), members.end(),
                     [](const auto* one, const auto* other) { return one->name < other->name; });
    const auto twice = std::adjacent_find(
        members.begin(), members.end(),
        [](const auto* one, const auto* other) { return one->name == other->name; });
    if (twice == members.end()) return true;
    return Refuse(
        (*std::next(twice))->line,
        fmt::format("\"{}\" stands in line {} already", Shortened((*twice)->name), (*twice)->line));
  }

  const std::size_t& line_;
  JsonNode root_;
  // What is open, each in the one before it. A child that is open is the last, so none moves.
  std::vector<JsonNode*> open_;
  std::size_t values_ = 0;
  std::string name_;
  std::size_t name_line_ = 0;
  std::string wrong_;
};

}  // namespace

Result<JsonNode> ParseJsonNode(std::string_view text) {
  std::size_t line = 1;
  TreeBuilder builder(line);
  const bool is_read = json::sax_parse(
      CountingIterator(text.data(), line), CountingIterator(text.data() + text.size(), line),
      &builder, json::input_format_t::json, /*strict=*/true, /*ignore_comments=*/true);
  if (!is_read) return Status(ErrorCode::kArgumentError, builder.wrong());
  return builder.root();
}

std::string ToSentence(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      return "null";
    case JsonNode::Kind::kTruth:
      return node.truth ? "true" : "false";
    case JsonNode::Kind::kWhole:
      return fmt::format("{}", node.whole);
    case JsonNode::Kind::kFraction:
      return fmt::format("{}", node.fraction);
    case JsonNode::Kind::kText:
      return fmt::format("\"{}\"", Shortened(node.text));
    case JsonNode::Kind::kArray:
      return "an array";
    case JsonNode::Kind::kObject:
      return "an object";
  }
  return "nothing";
}

}  // namespace wharf::emulator
