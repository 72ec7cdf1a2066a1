// OmittedNames: the names of what of a message has no place, in a header of the answer: of what was
// sent what did not become a property, of what is read what no header can say.
//
//   x-wharf-omitted: "list", "bad name", 3     these two, and three more
//
// A plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "broker/doors/http/exchange.h"

namespace wharf::rest {

class OmittedNames {
 public:
  void Add(std::string_view name);
  // Nothing, if there is none.
  void AddTo(HttpFields& fields) &&;

 private:
  std::string text_;
  // That found no room in it.
  std::size_t more_ = 0;
};

}  // namespace wharf::rest
