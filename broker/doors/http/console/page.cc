#include "broker/doors/http/console/page.h"

#include <algorithm>
#include <string>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_split.h>

#include "broker/doors/http/console/api_answer.h"

namespace wharf::console {
namespace {

constexpr std::string_view kRoot = "/";
constexpr std::string_view kFolder = "/page/";
// Anybody may ask for it, and read it slowly.
constexpr std::size_t kPiece = 16 * 1024;

// No word of HTML becomes a script, wherever it came from: the page makes none of text.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

const PageFile* Find(const std::vector<PageFile>& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [path](const PageFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

// Who says nothing takes everything (RFC 9110, 12.5.3).
bool TakesGzip(const HttpRequest& head) {
  const std::string* const codings = FindField(head.fields, "Accept-Encoding");
  if (codings == nullptr) return true;
  for (absl::string_view coding : absl::StrSplit(*codings, ',')) {
    coding = absl::StripAsciiWhitespace(coding);
    const bool is_meant =
        absl::StartsWithIgnoreCase(coding, "gzip") || absl::StartsWith(coding, "*");
    if (is_meant && !absl::EndsWith(coding, "q=0")) return true;
  }
  return false;
}

bool HasIt(const HttpRequest& head, const PageFile& file) {
  const std::string* const known = FindField(head.fields, "If-None-Match");
  return known != nullptr && (*known == "*" || known->find(file.etag) != std::string::npos);
}

HttpResponse Described(HttpResponse response, const PageFile& file) {
  const bool is_named_by_hash = file.path != kRoot;
  response.fields.emplace_back("ETag", std::string(file.etag));
  response.fields.emplace_back(
      "Cache-Control", is_named_by_hash ? "public, max-age=31536000, immutable" : "no-cache");
  response.fields.emplace_back("Content-Security-Policy", kPolicy);
  response.fields.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  response.fields.emplace_back("Vary", "Accept-Encoding");
  return response;
}

HttpResponse Whole(const PageFile& file) {
  HttpResponse response{.type = std::string(file.type)};
  response.fields.emplace_back("Content-Encoding", "gzip");
  response.pieces = [rest = file.gzip]() mutable {
    const std::string_view piece = rest.substr(0, kPiece);
    rest.remove_prefix(piece.size());
    return std::string(piece);
  };
  return response;
}

}  // namespace

bool IsPagePath(std::string_view path) { return path == kRoot || path.starts_with(kFolder); }

HttpResponse PageAnswer(const HttpRequest& head, const std::vector<PageFile>& files,
                        const TrackingId& id) {
  if (files.empty()) {
    return ErrorAnswer(404,
                       "this wharfd was built without the console's page, because Node was not "
                       "there: see /api/v1/openapi.json",
                       id);
  }
  const PageFile* const file = Find(files, head.path);
  if (file == nullptr)
    return ErrorAnswer(404, "there is no such file of the page: load it anew", id);
  if (HasIt(head, *file)) return Described({.status = 304, .type = ""}, *file);
  if (!TakesGzip(head)) return ErrorAnswer(406, "the page is sent by gzip alone", id);
  return Described(Whole(*file), *file);
}

}  // namespace wharf::console
