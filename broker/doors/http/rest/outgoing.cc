#include "broker/doors/http/rest/outgoing.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>

#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/http_time.h"
#include "broker/doors/http/rest/json_text.h"
#include "broker/doors/http/rest/message_body.h"
#include "broker/doors/http/rest/property_text.h"
#include "broker/doors/http/servicebus/data_route.h"
#include "broker/doors/http/servicebus/fail.h"

namespace wharf::rest {
namespace {

// Of names of properties that were left out; the rest is a number.
constexpr std::size_t kOmittedBytesMax = 2048;
constexpr std::size_t kNameBytesMax = 260;
constexpr std::size_t kIdBytesMax = 128;
// Of the headers of properties together.
constexpr std::size_t kPropertiesBytesMax = 136 * 1024;

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isprint(c); });
}

bool IsPlainId(std::string_view id) {
  return !id.empty() && id.size() <= kIdBytesMax && EscapedSegment(id) == id && id != "." &&
         id != "..";
}

// Beside the lock nothing else has to be found by it: an id that would have to be escaped, or be
// taken for a part of the path, is not worth it.
std::string Place(const Delivered& delivered, const ServiceBusRequest& request,
                  std::string_view entity) {
  const StoredMessage& stored = *delivered.message;
  const bool has_id = stored.message.message_id && IsPlainId(*stored.message.message_id);
  const std::string id =
      has_id ? *stored.message.message_id : std::to_string(stored.number.value());
  return request.origin + '/' + EscapedPath(entity) + "/messages/" + id + '/' +
         TextOf(delivered.token);
}

class Headers {
 public:
  void Add(const std::string& name, const PropertyValue& value) {
    const bool can_stand = name.size() <= kNameBytesMax && IsPropertyName(name);
    std::optional<std::string> text = can_stand ? HeaderOf(value) : std::nullopt;
    if (!text || text->size() > kHeaderBytesMax) return Omit(name);
    const std::size_t bytes = name.size() + text->size();
    if (bytes > kPropertiesBytesMax - bytes_) return Omit(name);
    bytes_ += bytes;
    fields_.emplace_back(name, *std::move(text));
  }
  // Behind the properties, which have a bound of their own.
  void AddOurs(std::string_view name, std::string value) {
    if (value.size() > kHeaderBytesMax) return Omit(name);
    ours_.emplace_back(name, std::move(value));
  }
  void Omit(std::string_view name) {
    const std::string quoted = QuotedAscii(name.substr(0, kNameBytesMax));
    if (omitted_.size() + quoted.size() > kOmittedBytesMax) {
      ++more_;
      return;
    }
    omitted_ += (omitted_.empty() ? "" : ", ") + quoted;
  }
  HttpFields Take() && {
    if (more_ > 0) omitted_ += ", " + std::to_string(more_);
    if (!omitted_.empty()) fields_.emplace_back("x-wharf-omitted", std::move(omitted_));
    std::move(ours_.begin(), ours_.end(), std::back_inserter(fields_));
    return std::move(fields_);
  }

 private:
  HttpFields fields_;
  HttpFields ours_;
  std::size_t bytes_ = 0;
  std::string omitted_;
  std::size_t more_ = 0;
};

PropertyMap PropertiesOf(const Delivered& delivered) {
  PropertyMap properties = delivered.message->message.application_properties;
  if (delivered.delivery.changed_properties)
    Merge(properties, *delivered.delivery.changed_properties);
  return properties;
}

}  // namespace

HttpResponse ResponseOf(const Delivered& delivered, const ServiceBusRequest& request,
                        std::string_view entity) {
  const Message& message = delivered.message->message;
  const bool is_locked = !delivered.token.is_zero();
  HttpResponse response{.status = is_locked ? 201U : 200U, .type = ""};
  Headers headers;
  for (const auto& [name, value] : PropertiesOf(delivered)) headers.Add(name, value);
  if (message.content_type) {
    if (message.content_type->size() <= kHeaderBytesMax && IsPrintable(*message.content_type)) {
      response.type = *message.content_type;
    } else {
      headers.Omit("Content-Type");
    }
  }
  std::vector<std::string> omitted;
  headers.AddOurs("BrokerProperties", BrokerPropertiesOf(delivered, omitted));
  for (const std::string& name : omitted) headers.Omit(name);
  if (is_locked) headers.AddOurs("Location", Place(delivered, request, entity));
  headers.AddOurs("Date", HttpTime(WallNow()));
  response.fields = std::move(headers).Take();
  if (!delivered.message->facts.has_large_body()) response.body = PlainBodyOf(message);
  return response;
}

HttpResponse EmptyAnswer(unsigned status) {
  return {.status = status, .type = "", .fields = {{"Date", HttpTime(WallNow())}}};
}

}  // namespace wharf::rest
