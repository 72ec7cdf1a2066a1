#include "broker/access/rights.h"

namespace wharf::access {

std::string_view NameOf(Right right) {
  switch (right) {
    case Right::kSend:
      return "Send";
    case Right::kListen:
      return "Listen";
    case Right::kManage:
      return "Manage";
  }
  return "";
}

std::string ToString(Rights rights) {
  std::string text;
  for (const Right right : {Right::kManage, Right::kSend, Right::kListen}) {
    if (!rights.Has(right)) continue;
    if (!text.empty()) text += ", ";
    text += NameOf(right);
  }
  return text;
}

}  // namespace wharf::access
