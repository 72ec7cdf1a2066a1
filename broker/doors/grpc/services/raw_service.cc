#include "broker/doors/grpc/services/raw_service.h"

namespace wharf {

void RawService::Add(Method method) {
  const std::string& path = paths_.emplace_back("/" + name_ + "/" + method.name);
  AddMethod(new grpc::internal::RpcServiceMethod(path.c_str(), method.type, nullptr));
  MarkMethodRawCallback(static_cast<int>(paths_.size()) - 1, method.handler.release());
}

}  // namespace wharf
