// JsonPlace: where in a file of JSON something stands, as jq writes it: .queues[3].lock_duration
//
// A value; used by what reads JSON that people have written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::tool {

class JsonPlace {
 public:
  // The whole file.
  JsonPlace() = default;

  JsonPlace Key(std::string_view key) const;
  JsonPlace Item(std::size_t index) const;

  // Printable.
  std::string text() const { return text_.empty() ? "." : text_; }
  // ArgumentError: "<place>: <why>".
  Status Bad(std::string_view why) const;

 private:
  explicit JsonPlace(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace wharf::tool
