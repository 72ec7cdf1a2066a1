#include "broker/core/messages/decimal_text.h"

namespace wharf {

bool IsDecimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos &&
         text.find('.') == text.rfind('.');
}

}  // namespace wharf
