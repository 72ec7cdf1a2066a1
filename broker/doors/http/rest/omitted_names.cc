#include "broker/doors/http/rest/omitted_names.h"

#include <utility>

#include "broker/doors/http/rest/json_text.h"

namespace wharf::rest {
namespace {

constexpr std::size_t kOmittedBytesMax = 2048;
constexpr std::size_t kShownNameBytesMax = 260;

}  // namespace

void OmittedNames::Add(std::string_view name) {
  const std::string quoted = QuotedAscii(name.substr(0, kShownNameBytesMax));
  if (text_.size() + quoted.size() > kOmittedBytesMax) {
    ++more_;
    return;
  }
  text_ += (text_.empty() ? "" : ", ") + quoted;
}

void OmittedNames::AddTo(HttpFields& fields) && {
  if (more_ > 0) text_ += ", " + std::to_string(more_);
  if (!text_.empty()) fields.emplace_back("x-wharf-omitted", std::move(text_));
}

}  // namespace wharf::rest
