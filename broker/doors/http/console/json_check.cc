#include "broker/doors/http/console/json_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "broker/core/messages/text.h"

namespace wharf::console {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using nlohmann::json;

constexpr std::size_t kShownBytesMax = 100;
constexpr std::size_t kMaskBytesMax = std::size_t{4} << 10;

// As JSON has it, so that nothing in it can be taken for a part of the sentence.
std::string Quoted(std::string_view text) {
  return json(Shortened(text, kShownBytesMax)).dump(-1, ' ', true, json::error_handler_t::replace);
}

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         !IsTextInJson(*field.message_type());
}

bool IsList(const FieldDescriptor& field) { return field.is_repeated() && !field.is_map(); }

// By its name in JSON, or by that in the .proto.
const FieldDescriptor* FieldOf(const Descriptor& type, const std::string& name) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    if (field->json_name() == name || field->name() == name) return field;
  }
  return nullptr;
}

// Whole, and no other number has the same double.
bool IsExact(double value) {
  constexpr double kExactMax = 9007199254740991;
  return std::abs(value) <= kExactMax && std::trunc(value) == value;
}

bool IsMask(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type()->full_name() == "google.protobuf.FieldMask";
}

// What its parser makes of parentheses grows with the square of them.
bool IsMaskText(std::string_view text) {
  return text.size() <= kMaskBytesMax && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
                  c == ',';
         });
}

// Told of each value and name of a text, in order; false ends it.
class Shape final : public nlohmann::json_sax<json> {
 public:
  explicit Shape(const Descriptor& type) : type_(type) {}

  Status status() const { return status_; }

  bool null() override {
    if (!Count()) return false;
    if (frames_.empty()) return Refuse("is no object");
    if (frames_.back().kind != Kind::kMessage) return Refuse("is null, which is no value here");
    return Next();
  }
  bool boolean(bool /*value*/) override { return OnValue(Value::kBoolean); }
  bool number_integer(std::int64_t /*value*/) override { return OnValue(Value::kNumber); }
  bool number_unsigned(std::uint64_t /*value*/) override { return OnValue(Value::kNumber); }
  bool number_float(double value, const std::string& /*text*/) override {
    return OnValue(IsExact(value) ? Value::kNumber : Value::kInexact);
  }
  bool string(std::string& value) override {
    if (!frames_.empty() && IsMask(Field()) && !IsMaskText(value)) {
      return Count() && Refuse("is names of fields with commas between them, 4 KiB at most");
    }
    return OnValue(Value::kText);
  }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override {
    if (!Count() || !Deepen()) return false;
    if (frames_.empty()) return Enter({.kind = Kind::kMessage, .type = &type_});
    const FieldDescriptor& field = Field();
    if (field.is_map() && frames_.back().kind != Kind::kMap) {
      return Enter({.kind = Kind::kMap, .field = field.message_type()->map_value()});
    }
    if (NeedsList(field)) return Refuse("is a list, in [ ]");
    if (!IsMessage(field)) return Refuse("is no object");
    return Enter({.kind = Kind::kMessage, .type = field.message_type()});
  }
  bool start_array(std::size_t /*size*/) override {
    if (!Count() || !Deepen()) return false;
    if (frames_.empty()) return Refuse("is no object");
    const FieldDescriptor& field = Field();
    if (!NeedsList(field)) return Refuse("is no list");
    return Enter({.kind = Kind::kList, .field = &field});
  }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }

  bool key(std::string& name) override {
    if (!Count()) return false;
    Frame& frame = frames_.back();
    frame.name = Shortened(name, kShownBytesMax);
    if (frame.kind == Kind::kMap) {
      return frame.names.insert(name).second || Refuse("stands here twice");
    }
    frame.field = FieldOf(*frame.type, name);
    if (frame.field == nullptr) return Refuse("there is no such field");
    const bool is_new =
        std::find(frame.seen.begin(), frame.seen.end(), frame.field) == frame.seen.end();
    frame.seen.push_back(frame.field);
    return is_new || Refuse("stands here twice");
  }

  // Exceptions of the parser are its own errors, by whatever name.
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& /*why*/) override {
    if (!status_.ok()) return false;
    const std::string where = PathText();
    status_ = Bad(fmt::format("the body is no JSON: it breaks off, or goes wrong, at byte {}{}",
                              position, where.empty() ? "" : ", in " + where));
    return false;
  }

 private:
  enum class Kind : std::uint8_t { kMessage, kMap, kList };
  // kInexact: a number that a double has only about, or not whole.
  enum class Value : std::uint8_t { kText, kNumber, kInexact, kBoolean };
  struct Frame {
    Kind kind;
    // Of a message.
    const Descriptor* type = nullptr;
    // What comes next, or the values of a map or a list.
    const FieldDescriptor* field = nullptr;
    std::vector<const FieldDescriptor*> seen{};
    std::unordered_set<std::string> names{};
    // Where it is.
    std::string name{};
    std::size_t index = 0;
  };

  static Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

  const FieldDescriptor& Field() const { return *frames_.back().field; }
  bool NeedsList(const FieldDescriptor& field) const {
    return IsList(field) && frames_.back().kind == Kind::kMessage;
  }

  bool Count() {
    if (++values_ <= kJsonValuesMax) return true;
    status_ = Bad(fmt::format("the body has more than {} values and names", kJsonValuesMax));
    return false;
  }
  bool Deepen() {
    if (frames_.size() < kJsonDepthMax) return true;
    return Refuse(fmt::format("is deeper than {} objects and lists", kJsonDepthMax));
  }
  bool Enter(Frame frame) {
    frames_.push_back(std::move(frame));
    return true;
  }
  bool Leave() {
    frames_.pop_back();
    return frames_.empty() || Next();
  }
  bool Next() {
    if (frames_.back().kind == Kind::kList) ++frames_.back().index;
    return true;
  }

  bool OnValue(Value value) {
    if (!Count()) return false;
    if (frames_.empty()) return Refuse("is no object");
    const FieldDescriptor& field = Field();
    if (NeedsList(field)) return Refuse("is a list, in [ ]");
    const bool is_map = field.is_map() && frames_.back().kind != Kind::kMap;
    if (is_map || IsMessage(field)) return Refuse("is an object, in { }");
    const std::string_view wrong = WhyNot(field, value);
    return wrong.empty() ? Next() : Refuse(wrong);
  }

  static std::string_view WhyNot(const FieldDescriptor& field, Value value) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return value == Value::kText ? "" : "is a text, in quotes";
      case FieldDescriptor::CPPTYPE_BOOL:
        return value == Value::kBoolean ? "" : "is true or false";
      case FieldDescriptor::CPPTYPE_ENUM:
        return value == Value::kBoolean ? "is one of a few names, in quotes" : "";
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        return value == Value::kBoolean ? "is a number" : "";
      default:
        if (value == Value::kInexact) return "is a whole number, written as one";
        return value == Value::kBoolean ? "is a number" : "";
    }
  }

  bool Refuse(std::string_view why) {
    const std::string where = PathText();
    status_ = Bad(where.empty()
                      ? fmt::format("the body {}", why)
                      : fmt::format("{}: {}{}", where, why.starts_with("is") ? "this " : "", why));
    return false;
  }

  std::string PathText() const {
    std::string path;
    for (const Frame& frame : frames_) {
      if (frame.kind == Kind::kList) {
        path += fmt::format("[{}]", frame.index);
      } else if (frame.kind == Kind::kMap) {
        path += frame.name.empty() ? "" : fmt::format("[{}]", Quoted(frame.name));
      } else if (!frame.name.empty()) {
        const std::string quoted = Quoted(frame.name);
        path += (path.empty() ? "" : ".") + quoted.substr(1, quoted.size() - 2);
      }
    }
    return path;
  }

  const Descriptor& type_;
  std::vector<Frame> frames_;
  std::size_t values_ = 0;
  Status status_;
};

}  // namespace

bool IsTextInJson(const Descriptor& type) {
  return type.full_name() == "google.protobuf.Timestamp" ||
         type.full_name() == "google.protobuf.Duration" ||
         type.full_name() == "google.protobuf.FieldMask";
}

Status CheckJson(std::string_view text, const Descriptor& type) {
  Shape shape(type);
  if (json::sax_parse(text.begin(), text.end(), &shape)) return {};
  return shape.status().ok() ? Status(ErrorCode::kArgumentError, "the body is no JSON")
                             : shape.status();
}

}  // namespace wharf::console
