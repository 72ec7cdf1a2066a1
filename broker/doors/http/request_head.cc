#include "broker/doors/http/request_head.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>

namespace wharf {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

std::string ToText(beast::string_view view) { return {view.data(), view.size()}; }

bool IsEqual(beast::string_view one, beast::string_view other) {
  return beast::iequals(one, other);
}

// The path of a target, with its query. The absolute form is what goes to proxies, and a server
// takes it as well (RFC 9112 3.2.2), if it names whom the request names as its host: else two who
// read it could see two. Nothing: it is neither.
std::optional<std::string> PathOf(const std::string& target, const std::string& host) {
  if (target.starts_with('/')) return target;
  const std::size_t authority = target.find("://");
  if (authority == std::string::npos || host.empty()) return std::nullopt;
  const std::string scheme = target.substr(0, authority);
  const std::size_t end = std::min(target.find_first_of("/?", authority + 3), target.size());
  const std::string named = target.substr(authority + 3, end - authority - 3);
  const bool is_http = IsEqual(scheme, "http") || IsEqual(scheme, "https");
  if (!is_http || !IsEqual(named, host)) return std::nullopt;
  const std::string rest = target.substr(end);
  return rest.starts_with('/') ? rest : '/' + rest;
}

std::optional<std::string> PathOf(const RequestHead& head) {
  return PathOf(ToText(head.target()), ToText(head[http::field::host]));
}

// How long its body is.
std::optional<std::string> WhyAmbiguous(const RequestHead& head) {
  const auto lengths = head.count(http::field::content_length);
  const auto encodings = head.count(http::field::transfer_encoding);
  if (lengths > 1 || encodings > 1 || (lengths > 0 && encodings > 0)) {
    return "a request says once how long its body is";
  }
  const beast::string_view length = head[http::field::content_length];
  const bool is_number =
      std::all_of(length.begin(), length.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return "the length of a body is one number";
  if (encodings == 0) return std::nullopt;
  if (head.version() < 11) return "before HTTP/1.1 there are no chunks";
  if (!IsEqual(head[http::field::transfer_encoding], "chunked")) {
    return "a body comes as it is, or chunked";
  }
  return std::nullopt;
}

// A name and a value each.
HttpFields FieldsOf(const RequestHead& head) {
  HttpFields fields;
  for (const auto& field : head) {
    fields.emplace_back(ToText(field.name_string()), ToText(field.value()));
  }
  return fields;
}

}  // namespace

std::optional<HeadRefusal> WhyBad(const boost::system::error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return HeadRefusal{431, "the header is too long"};
  }
  if (error == http::error::body_limit) return HeadRefusal{413, "the body is too long"};
  const bool is_bad = error.category() == make_error_code(http::error::bad_value).category() &&
                      error != http::error::end_of_stream && error != http::error::partial_message;
  if (is_bad) return HeadRefusal{400, "this is no HTTP: " + error.message()};
  return std::nullopt;
}

std::optional<HeadRefusal> WhyRefused(const RequestHead& head) {
  if (const auto why = WhyAmbiguous(head)) return HeadRefusal{400, *why};
  const auto hosts = head.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && head.version() >= 11)) {
    return HeadRefusal{400, "a request names one host"};
  }
  if (head.count(http::field::authorization) > 1) {
    return HeadRefusal{400, "a request has one authorization"};
  }
  if (head.count(http::field::origin) > 1) return HeadRefusal{400, "a request has one origin"};
  if (!PathOf(head)) {
    return HeadRefusal{400, "a path begins with /, or with the host that the request names"};
  }
  if (IsContinueExpected(head) && !IsEqual(head[http::field::expect], "100-continue")) {
    return HeadRefusal{417, "nothing else may be expected than 100-continue"};
  }
  return std::nullopt;
}

bool IsContinueExpected(const RequestHead& head) {
  return head.version() >= 11 && head.count(http::field::expect) > 0;
}

HttpRequest RequestOf(const RequestHead& head) {
  const std::string target = PathOf(head).value_or("");
  const std::size_t question = target.find('?');
  HttpRequest request;
  request.method = ToText(head.method_string());
  request.path = target.substr(0, question);
  request.query = question == std::string::npos ? "" : target.substr(question + 1);
  request.host = ToText(head[http::field::host]);
  request.origin = ToText(head[http::field::origin]);
  request.accept = ToText(head[http::field::accept]);
  request.authorization = ToText(head[http::field::authorization]);
  request.fields = FieldsOf(head);
  return request;
}

}  // namespace wharf
