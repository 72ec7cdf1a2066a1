#include "broker/doors/http/rest/outgoing.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>

#include "broker/doors/http/rest/broker_properties.h"
#include "broker/doors/http/rest/http_time.h"
#include "broker/doors/http/rest/message_body.h"
#include "broker/doors/http/rest/omitted_names.h"
#include "broker/doors/http/rest/property_name.h"
#include "broker/doors/http/rest/property_text.h"
#include "broker/doors/http/servicebus/data_route.h"
#include "broker/doors/http/servicebus/fail.h"

namespace wharf::rest {
namespace {

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
    const bool can_stand = name.size() <= kNameBytesMax && MayGoOut(name);
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
  void Omit(std::string_view name) { omitted_.Add(name); }
  HttpFields Take() && {
    std::move(omitted_).AddTo(fields_);
    std::move(ours_.begin(), ours_.end(), std::back_inserter(fields_));
    return std::move(fields_);
  }

 private:
  HttpFields fields_;
  HttpFields ours_;
  std::size_t bytes_ = 0;
  OmittedNames omitted_;
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
