#include "tools/client/session_option.h"

#include <algorithm>

#include <google/protobuf/util/time_util.h>

namespace wharf::client {
namespace {

using google::protobuf::util::TimeUtil;

struct Applier {
  v1::ReceiveStart& start;

  void operator()(std::monostate) const {}
  void operator()(const NamedSession& session) const { start.set_session_id(session.id); }
  void operator()(const NextSession& session) const {
    *start.mutable_next_session()->mutable_max_wait() =
        TimeUtil::MicrosecondsToDuration(std::min(session.max_wait, kNextSessionWaitMax).count());
  }
  void operator()(const HeldSession& session) const {
    start.set_session_lock_token(session.session_lock_token);
  }
  void operator()(const ManySessions& sessions) const {
    v1::ManySessions& many = *start.mutable_many_sessions();
    many.set_max_concurrent_sessions(sessions.concurrent_max);
    many.set_max_messages_per_turn(sessions.messages_per_turn);
    *many.mutable_idle_timeout() = TimeUtil::MicrosecondsToDuration(sessions.idle_timeout.count());
  }
};

}  // namespace

void Apply(const SessionOption& option, v1::ReceiveStart& start) {
  std::visit(Applier{start}, option);
}

}  // namespace wharf::client
