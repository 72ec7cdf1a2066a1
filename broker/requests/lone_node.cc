#include "broker/requests/lone_node.h"

#include <utility>

namespace wharf {
namespace {

Status Alone() {
  return {ErrorCode::kInvalidOperation,
          "this broker runs by itself: to found a cluster with it, or to join one, start wharfd "
          "with --node NAME and --peer-listen HOST:PORT"};
}

}  // namespace

void LoneNode::GetStatus(Answer<ClusterStatus> answer) { std::move(answer)(Alone()); }

void LoneNode::Found(Answer<ClusterFounded> answer) { std::move(answer)(Alone()); }

void LoneNode::Add(std::string /*name*/, std::string /*peer_address*/,
                   Answer<std::monostate> answer) {
  std::move(answer)(Alone());
}

void LoneNode::Remove(std::string /*name*/, Answer<std::monostate> answer) {
  std::move(answer)(Alone());
}

void LoneNode::Transfer(std::string /*name*/, Answer<std::monostate> answer) {
  std::move(answer)(Alone());
}

void LoneNode::SetAddress(std::string /*name*/, std::string /*client_address*/,
                          Answer<std::monostate> answer) {
  std::move(answer)(Alone());
}

void LoneNode::VerifyState(Verify /*what*/, Answer<StateVerification> answer) {
  std::move(answer)(Alone());
}

}  // namespace wharf
