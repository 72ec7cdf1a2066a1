#include "tools/crash/history/history.h"

namespace wharf::crash {

Reply ReplyOf(const Status& status) {
  if (status.ok()) return {};
  const bool is_unknown = status.outcome() == Outcome::kUnknown;
  return {.answer = is_unknown ? Answer::kUnknown : Answer::kRefused,
          .code = status.code(),
          .words = is_unknown ? status.message() : std::string()};
}

}  // namespace wharf::crash
