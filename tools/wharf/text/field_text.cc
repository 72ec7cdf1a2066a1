#include "tools/wharf/text/field_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "storage/base/duration_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/time_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::TimeUtil;

Status Bad(std::string message) { return {ErrorCode::kArgumentError, std::move(message)}; }

// What all values of an enum begin with: "ENTITY_STATUS_" of EntityStatus.
std::string PrefixOf(const EnumDescriptor& type) {
  std::string prefix;
  for (const char letter : type.name()) {
    if (!prefix.empty() && std::isupper(static_cast<unsigned char>(letter))) prefix += '_';
    prefix += absl::ascii_toupper(letter);
  }
  return prefix + '_';
}

std::string TextOf(const EnumValueDescriptor& value) {
  const std::string name = value.name().substr(PrefixOf(*value.type()).size());
  return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", "-"}});
}

// Those that say something.
std::string NamesOf(const EnumDescriptor& type, const std::string& separator) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) {
    const std::string name = TextOf(*type.value(i));
    if (name == "unspecified") continue;
    names += (names.empty() ? "" : separator) + name;
  }
  return names;
}

Status SetEnum(Message& message, const FieldDescriptor& field, const std::string& text) {
  const EnumDescriptor& type = *field.enum_type();
  for (int i = 0; i < type.value_count(); ++i) {
    if (TextOf(*type.value(i)) != text) continue;
    message.GetReflection()->SetEnum(&message, &field, type.value(i));
    return Status::Ok();
  }
  return Bad(fmt::format("\"{}\" is none of {}", text, NamesOf(type, ", ")));
}

template <typename Number>
Result<Number> ParseNumber(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) {
    return Bad(fmt::format("{} is outside {} to {}", text, std::numeric_limits<Number>::min(),
                           std::numeric_limits<Number>::max()));
  }
  if (error != std::errc() || at != end || text.empty()) {
    return Bad(fmt::format("\"{}\" is not a whole number", text));
  }
  return number;
}

template <typename Number, typename Setter>
Status SetNumber(const std::string& text, Setter set) {
  const Result<Number> number = ParseNumber<Number>(text);
  if (number.ok()) set(*number);
  return number.status();
}

Status SetDouble(Message& message, const FieldDescriptor& field, const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) return Bad(fmt::format("\"{}\" is not a number", text));
  message.GetReflection()->SetDouble(&message, &field, number);
  return Status::Ok();
}

Status SetBool(Message& message, const FieldDescriptor& field, const std::string& text) {
  if (text != "true" && text != "false") {
    return Bad(fmt::format("\"{}\" is neither true nor false", text));
  }
  message.GetReflection()->SetBool(&message, &field, text == "true");
  return Status::Ok();
}

Status SetString(Message& message, const FieldDescriptor& field, const std::string& text) {
  if (text.empty() && field.has_presence()) {
    message.GetReflection()->ClearField(&message, &field);
  } else if (field.type() == FieldDescriptor::TYPE_STRING) {
    if (!IsUtf8(text)) return Bad("the text is not UTF-8");
    message.GetReflection()->SetString(&message, &field, text);
  } else {
    std::string bytes;
    if (!absl::Base64Unescape(text, &bytes)) return Bad("the text is not base64");
    message.GetReflection()->SetString(&message, &field, std::move(bytes));
  }
  return Status::Ok();
}

Status SetDuration(google::protobuf::Duration& duration, const std::string& text) {
  const Result<Duration> parsed = ParseDuration(text);
  if (!parsed.ok()) return parsed.status();
  duration = TimeUtil::MicrosecondsToDuration(parsed->count());
  if (duration.seconds() > TimeUtil::kDurationMaxSeconds) {
    return Bad(fmt::format("the duration \"{}\" is too long", text));
  }
  return Status::Ok();
}

Status SetTime(google::protobuf::Timestamp& time, const std::string& text) {
  if (TimeUtil::FromString(text, &time)) return Status::Ok();
  return Bad(fmt::format("\"{}\" is not a time; write for example 2026-01-31T12:00:00Z", text));
}

bool IsDuration(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
         field.message_type() == google::protobuf::Duration::descriptor();
}

// A message that is neither a duration nor a time.
bool IsNested(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !IsDuration(field) &&
         field.message_type() != google::protobuf::Timestamp::descriptor();
}

// The only messages among the fields that are text: durations and times.
Status SetMessage(Message& message, const FieldDescriptor& field, const std::string& text) {
  const auto* reflection = message.GetReflection();
  if (!IsDuration(field)) {
    google::protobuf::Timestamp time;
    WHARF_RETURN_IF_ERROR(SetTime(time, text));
    reflection->MutableMessage(&message, &field)->CopyFrom(time);
    return Status::Ok();
  }
  if (text == "never") {
    reflection->ClearField(&message, &field);
    return Status::Ok();
  }
  google::protobuf::Duration duration;
  WHARF_RETURN_IF_ERROR(SetDuration(duration, text));
  reflection->MutableMessage(&message, &field)->CopyFrom(duration);
  return Status::Ok();
}

google::protobuf::Duration DurationOf(const Message& message, const FieldDescriptor& field) {
  google::protobuf::Duration duration;
  duration.CopyFrom(message.GetReflection()->GetMessage(message, &field));
  return duration;
}

google::protobuf::Timestamp TimeOf(const Message& message, const FieldDescriptor& field) {
  google::protobuf::Timestamp time;
  time.CopyFrom(message.GetReflection()->GetMessage(message, &field));
  return time;
}

std::string MessageToText(const Message& message, const FieldDescriptor& field, TimeDigits digits) {
  if (!IsDuration(field)) return TimeText(TimeOf(message, field), digits);
  const google::protobuf::Duration duration = DurationOf(message, field);
  return FormatDuration(Duration(TimeUtil::DurationToMicroseconds(duration)));
}

// A field has several numbers, or several messages with fields of their own.
Json ListToJson(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  Json list = Json::array();
  for (int i = 0; i < reflection->FieldSize(message, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      list.push_back(FieldsToJson(reflection->GetRepeatedMessage(message, &field, i)));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      list.push_back(reflection->GetRepeatedString(message, &field, i));
    } else {
      list.push_back(reflection->GetRepeatedInt64(message, &field, i));
    }
  }
  return list;
}

// Most names fit into one column for all messages.
int NameWidth(const Message& message) {
  int width = 40;
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    width = std::max(width, static_cast<int>(message.GetDescriptor()->field(i)->name().size()));
  }
  return width;
}

void PrintFieldsAs(Output& out, const std::string& prefix, int width, const Message& message) {
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (!IsSaid(message, field)) continue;
    if (IsNested(field) && !field.is_repeated()) {
      PrintFieldsAs(out, prefix + field.name() + ".", width,
                    message.GetReflection()->GetMessage(message, &field));
    } else {
      out.Print("  {:<{}} {}\n", prefix + field.name(), width,
                Printable(FieldToText(message, field, TimeDigits::kToTheSecond)));
    }
  }
}

// As fine as the broker has it.
Status SetSeconds(Message& message, const FieldDescriptor& field, const Json& seconds) {
  const auto duration = SecondsFromJson(seconds);
  if (!duration.ok()) return duration.status();
  const std::int64_t micros = TimeUtil::DurationToMicroseconds(*duration);
  if (micros < 0) return Bad(fmt::format("{} seconds are less than none", ToLine(seconds)));
  message.GetReflection()
      ->MutableMessage(&message, &field)
      ->CopyFrom(TimeUtil::MicrosecondsToDuration(micros));
  return Status::Ok();
}

bool IsText(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_ENUM:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string WordsOf(const FieldDescriptor& field) { return NamesOf(*field.enum_type(), "|"); }

std::string ToOptionName(std::string_view field_name) {
  return absl::StrReplaceAll(std::string(field_name), {{"_", "-"}});
}

bool IsSaid(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  if (field.is_repeated()) return reflection->FieldSize(message, &field) > 0;
  const bool is_said_by_being_there =
      field.has_presence() || field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  return !is_said_by_being_there || reflection->HasField(message, &field);
}

Json FieldToJson(const Message& message, const FieldDescriptor& field) {
  const auto* reflection = message.GetReflection();
  if (field.is_repeated()) return ListToJson(message, field);
  if (IsNested(field)) return FieldsToJson(reflection->GetMessage(message, &field));
  if (IsDuration(field)) return SecondsToJson(DurationOf(message, field));
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection->GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->GetDouble(message, &field);
    default:
      return FieldToText(message, field);
  }
}

std::string FieldToText(const Message& message, const FieldDescriptor& field, TimeDigits digits) {
  const auto* reflection = message.GetReflection();
  if (field.is_repeated() || IsNested(field)) return ToLine(FieldToJson(message, field));
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string value = reflection->GetString(message, &field);
      return field.type() == FieldDescriptor::TYPE_STRING ? value : absl::Base64Escape(value);
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      return TextOf(*reflection->GetEnum(message, &field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageToText(message, field, digits);
    default:
      return ToLine(FieldToJson(message, field));
  }
}

Json FieldsToJson(const Message& message) {
  Json json = Json::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (!IsSaid(message, field)) continue;
    Json value = FieldToJson(message, field);
    if (!value.is_object() || !value.empty()) json[field.name()] = std::move(value);
  }
  return json;
}

void PrintFields(Output& out, const Message& message) {
  PrintFieldsAs(out, "", NameWidth(message), message);
}

Status SetFieldFromText(Message& message, const FieldDescriptor& field, const std::string& text) {
  const auto* reflection = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return SetString(message, field, text);
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetBool(message, field, text);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(message, field, text);
    case FieldDescriptor::CPPTYPE_INT32:
      return SetNumber<std::int32_t>(
          text, [&](auto number) { reflection->SetInt32(&message, &field, number); });
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetNumber<std::uint32_t>(
          text, [&](auto number) { reflection->SetUInt32(&message, &field, number); });
    case FieldDescriptor::CPPTYPE_INT64:
      return SetNumber<std::int64_t>(
          text, [&](auto number) { reflection->SetInt64(&message, &field, number); });
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return SetDouble(message, field, text);
    default:
      return SetMessage(message, field, text);
  }
}

Status SetFieldFromJson(Message& message, const FieldDescriptor& field, const Json& value) {
  if (value.is_null()) {
    message.GetReflection()->ClearField(&message, &field);
    return Status::Ok();
  }
  if (value.is_number() && IsDuration(field)) return SetSeconds(message, field, value);
  if (IsText(field)) {
    if (!value.is_string()) {
      return Bad(IsDuration(field)
                     ? "the value must be a number of seconds, or a string like \"1m30s\""
                     : "the value must be a string");
    }
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty() && field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      // Other than on the command line, the empty string is a value.
      message.GetReflection()->SetString(&message, &field, text);
      return Status::Ok();
    }
    return SetFieldFromText(message, field, text);
  }
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    if (!value.is_boolean()) return Bad("the value must be true or false");
  } else if (!value.is_number_integer()) {
    return Bad("the value must be a whole number");
  }
  return SetFieldFromText(message, field, ToLine(value));
}

}  // namespace wharf::tool
