#include "broker/doors/http/atom/atom_call.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/http/rest/http_time.h"

namespace wharf::atom {
namespace {

constexpr std::size_t kPageMax = 100;
constexpr std::size_t kApiVersionBytesMax = 32;

// What stands in links again.
bool IsApiVersion(std::string_view text) {
  return !text.empty() && text.size() <= kApiVersionBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
         });
}

Result<std::size_t> NumberOf(const Target& target, std::string_view name, std::size_t otherwise) {
  const std::string* const text = target.Find(name);
  if (text == nullptr) return otherwise;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool is_number = error == std::errc() && end == text->data() + text->size();
  if (!is_number) return BadValue(name, "is no number");
  return number;
}

}  // namespace

AtomCall::AtomCall(ServiceBusCallPtr call)
    : call_(std::move(call)), place_(PlaceOf(call_->request().target.path)) {
  const ServiceBusRequest& request = call_->request();
  site_.origin = request.origin.empty() ? "https://localhost" : request.origin;
  const std::string* const version = request.target.Find("api-version");
  if (version != nullptr && IsApiVersion(*version)) site_.api_version = *version;
}

const std::string* AtomCall::Find(std::string_view header) const {
  return FindField(call_->request().fields, header);
}

Result<PagePlace> AtomCall::Page() const {
  const Target& target = call_->request().target;
  const Result<std::size_t> skip = NumberOf(target, "$skip", 0);
  if (!skip.ok()) return skip.status();
  const Result<std::size_t> top = NumberOf(target, "$top", kPageMax);
  if (!top.ok()) return top.status();
  if (*top == 0) return OutOfRange("$top", "is 1 or more");
  return PagePlace{target.path, *skip, std::min(*top, kPageMax)};
}

// One that proves nothing is worth nothing: whether it is missed is asked of the broker.
void AtomCall::AddForwardPermits(Caller& caller) const {
  for (const char* header :
       {"ServiceBusSupplementaryAuthorization", "ServiceBusDlqSupplementaryAuthorization"}) {
    const std::string* const token = Find(header);
    if (token == nullptr || token->empty()) continue;
    if (Result<access::PermitPtr> permit = call_->ProveAlso(*token); permit.ok()) {
      caller.forward_permits.push_back(*std::move(permit));
    }
  }
}

namespace {

HttpResponse Found(std::string_view type, std::string body) {
  HttpResponse response{.status = 200, .type = std::string(type), .body = std::move(body)};
  response.fields.emplace_back("Date", rest::HttpTime(WallNow()));
  return response;
}

// What clients wrote comes back as they wrote it: a browser that shows it runs nothing of it.
void KeepFromBrowsers(HttpResponse& response) {
  response.fields.emplace_back("Content-Security-Policy", "default-src 'none'; sandbox");
  response.fields.emplace_back("X-Content-Type-Options", "nosniff");
}

}  // namespace

void AtomCall::Entry(unsigned status, std::string entry, std::string etag) {
  HttpResponse response = Found(kEntryType, std::move(entry));
  response.status = status;
  if (!etag.empty()) response.fields.emplace_back("ETag", std::move(etag));
  KeepFromBrowsers(response);
  call_->Answer(std::move(response));
}

void AtomCall::Feed(std::string feed) {
  HttpResponse response = Found(kFeedType, std::move(feed));
  KeepFromBrowsers(response);
  call_->Answer(std::move(response));
}

void AtomCall::Done() { call_->Answer(Found({}, {})); }

void AtomCall::RefuseMethod(std::string_view allowed) {
  HttpResponse response =
      ErrorFor(*call_, 405, fmt::format("here is only {}", allowed), ErrorPlane::kManagement);
  response.fields.emplace_back("Allow", allowed);
  call_->Answer(std::move(response));
}

void AtomCall::RefuseCondition() {
  call_->Answer(ErrorFor(*call_, 412, "it is not as it was when it had this ETag: read it again",
                         ErrorPlane::kManagement));
}

}  // namespace wharf::atom
