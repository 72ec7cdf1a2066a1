#include "tools/wharf/text/json_text.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tools/wharf/text/json_place.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr std::size_t kDepthMax = 64;
// Of definitions: whoever reads them looks for a key among all of its object.
constexpr std::size_t kKeysMax = 4096;

// Columns are characters.
Status BadAt(std::string_view text, std::size_t byte, const std::string& why) {
  const std::string_view before = text.substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view of_line = before.substr(before.rfind('\n') + 1);
  const auto is_character = [](unsigned char at) { return (at & 0xC0U) != 0x80U; };
  const auto column = 1 + std::count_if(of_line.begin(), of_line.end(), is_character);
  return {ErrorCode::kArgumentError, fmt::format("{}:{}: {}", line, column, why)};
}

// In our words, the parser's being about tokens and literals.
Status NotJson(std::string_view text, std::size_t byte) {
  const std::string_view rest = text.substr(byte);
  return BadAt(text, byte,
               rest.empty() ? "the JSON ends too soon"
                            : fmt::format("\"{}\" is not expected there, so it is not JSON",
                                          Printable(rest.substr(0, 1))));
}

// Makes the values as the parser tells them, and stops at the first thing that nobody can mean. The
// library's own maker takes a key that stands twice, and the one that asks looks through all items
// of a list for each of them.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, std::size_t keys_max, JsonFault& fault)
      : text_(text), keys_max_(keys_max), fault_(fault) {}

  Json& root() { return root_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return Fail("is no JSON"); }
  bool start_object(std::size_t /*size*/) override { return Open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    Level& level = within_.back();
    level.key = name;
    if (!level.keys.insert(name).second) return Fail("this key stands twice in its object");
    return level.keys.size() <= keys_max_ || Fail("there are too many keys in this object");
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // That no double holds.
    const bool is_number = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    if (is_number) return Fail("the number is too large");
    // They count from 1.
    fault_ = {.byte = std::min(byte == 0 ? 0 : byte - 1, text_.size())};
    return false;
  }

 private:
  // An object or a list that the parser is in.
  struct Level {
    Json* value;
    std::string key{};
    std::set<std::string> keys{};
  };

  Json* Put(Json value) {
    if (within_.empty()) return &(root_ = std::move(value));
    const Level& level = within_.back();
    if (level.value->is_array()) return &level.value->emplace_back(std::move(value));
    auto& object = level.value->get_ref<Json::object_t&>();
    return &object.emplace_back(level.key, std::move(value)).second;
  }
  bool Add(Json value) {
    Put(std::move(value));
    return true;
  }
  bool Open(Json value) {
    if (within_.size() == kDepthMax) return Fail("it is within too many objects and lists");
    // Stays where it is: nothing comes beside it before it is closed.
    within_.push_back({.value = Put(std::move(value))});
    return true;
  }
  bool Close() {
    within_.pop_back();
    return true;
  }

  bool Fail(std::string_view why) {
    JsonPlace place;
    for (const Level& level : within_) {
      // What is open is in its list already; what fails here is not.
      const std::size_t before = level.value->size() - (&level == &within_.back() ? 0 : 1);
      place = level.value->is_array() ? place.Item(before) : place.Key(level.key);
    }
    fault_ = {.place = place, .why = std::string(why)};
    return false;
  }

  const std::string_view text_;
  const std::size_t keys_max_;
  JsonFault& fault_;
  Json root_;
  std::vector<Level> within_;
};

}  // namespace

std::optional<Json> ReadJson(std::string_view text, std::size_t keys_max, JsonFault& fault) {
  Builder builder(text, keys_max, fault);
  if (!Json::sax_parse(text, &builder)) return std::nullopt;
  return std::optional<Json>(std::in_place, std::move(builder.root()));
}

Result<Json> ParseJsonText(std::string_view text) {
  JsonFault fault;
  std::optional<Json> json = ReadJson(text, kKeysMax, fault);
  if (json) return *std::move(json);
  return fault.byte ? NotJson(text, *fault.byte) : fault.place.Bad(fault.why);
}

}  // namespace wharf::tool
