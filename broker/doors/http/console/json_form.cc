#include "broker/doors/http/console/json_form.h"

#include <memory>
#include <optional>

#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <nlohmann/json.hpp>

#include "broker/core/messages/text.h"
#include "broker/doors/http/console/json_check.h"

namespace wharf::console {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
namespace util = google::protobuf::util;

constexpr std::string_view kUrl = "type.googleapis.com";
constexpr std::size_t kToldBytesMax = 100;

util::TypeResolver* Resolver() {
  static const std::unique_ptr<util::TypeResolver> kResolver(
      util::NewTypeResolverForDescriptorPool(std::string(kUrl), DescriptorPool::generated_pool()));
  return kResolver.get();
}

std::string UrlOf(const Descriptor& type) { return fmt::format("{}/{}", kUrl, type.full_name()); }

// "time_to_live" as JSON has it.
std::string InCamelCase(std::string_view path) {
  std::string camel;
  bool is_next_upper = false;
  for (const char c : path) {
    const bool is_line = c == '_';
    if (!is_line) camel += is_next_upper ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    is_next_upper = is_line;
  }
  return camel;
}

std::string NamesOf(const EnumDescriptor& type) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (i > 0) names += i + 1 < type.value_count() ? ", " : " or ";
    names += type.value(i)->name();
  }
  return names;
}

std::string MeaningOf(std::string_view type) {
  if (type == "TYPE_BYTES") return "base64";
  if (type == "TYPE_STRING") return "a text";
  if (type == "TYPE_BOOL") return "true or false";
  if (type == "TYPE_DOUBLE" || type == "TYPE_FLOAT") return "a number that fits";
  if (type.starts_with("TYPE_")) return "a whole number that fits";
  const std::string name(type.substr(std::min(type.size(), kUrl.size() + 1)));
  if (name == "google.protobuf.Duration") return "a duration, such as 1.5s";
  if (name == "google.protobuf.Timestamp") return "a time, such as 2026-01-31T12:00:00Z";
  if (name == "google.protobuf.FieldMask") return "names of fields with commas between them";
  const EnumDescriptor* const names = DescriptorPool::generated_pool()->FindEnumTypeByName(name);
  return names == nullptr ? "a value of its type" : NamesOf(*names);
}

// protobuf says `(messages[0].body): invalid value "!!" for type TYPE_BYTES`.
std::string Sentence(std::string_view told) {
  constexpr std::string_view kValue = "): invalid value ";
  constexpr std::string_view kType = " for type ";
  const std::size_t value = told.find(kValue);
  const std::size_t type = told.rfind(kType);
  if (!told.starts_with('(') || value == std::string_view::npos || type == std::string_view::npos ||
      type < value + kValue.size()) {
    return fmt::format("this is no such request: {}", Shortened(told, kToldBytesMax));
  }
  std::string path = InCamelCase(told.substr(1, value - 1));
  if (path.empty()) path = "the request";
  const std::string_view type_name = told.substr(type + kType.size());
  const std::string_view shown = told.substr(value + kValue.size(), type - value - kValue.size());
  if (type_name == "oneof") return fmt::format("{}: only one of its kinds may be there", path);
  return fmt::format("{}: {} is not {}", path, Shortened(shown, kToldBytesMax),
                     MeaningOf(type_name));
}

}  // namespace

Result<std::string> BytesOfJson(std::string_view text, const Descriptor& type) {
  std::string bytes;
  if (text.empty()) return bytes;
  if (Status bad = CheckJson(text, type); !bad.ok()) return bad;
  const auto status =
      util::JsonToBinaryString(Resolver(), UrlOf(type), {text.data(), text.size()}, &bytes, {});
  if (status.ok()) return bytes;
  return Status(ErrorCode::kArgumentError,
                Sentence({status.message().data(), status.message().size()}));
}

Result<std::string> JsonOfBytes(const std::string& bytes, const Descriptor& type) {
  util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = util::BinaryToJsonString(Resolver(), UrlOf(type), bytes, &text, options);
  if (status.ok()) return text;
  // What it answers is done.
  return Status(ErrorCode::kGeneralError,
                "the answer cannot be written as JSON: " +
                    std::string(status.message().data(), status.message().size()),
                Outcome::kUnknown);
}

}  // namespace wharf::console
