// ApiMethods: the methods of the gRPC API as they are asked as JSON, by their paths: those that are
// answered once, and the streams. Made once, of the descriptors of the .proto files, so that none
// can be forgotten; constant, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

namespace wharf::console {

// What stands before "Messaging/Send".
inline constexpr std::string_view kApiPrefix = "/api/v1/";

struct ApiMethod {
  const google::protobuf::MethodDescriptor* descriptor = nullptr;
  // "/api/v1/Messaging/Send".
  std::string path{};
  // "/wharf.v1.Messaging/Send".
  std::string grpc_path{};
  // Every node of a cluster answers it, whoever leads.
  bool is_of_every_node = false;
  // Its answer holds messages that it looked at, or a page of a list.
  bool is_long = false;
};

// In the order of their paths.
const std::vector<ApiMethod>& ApiMethods();
const std::vector<ApiMethod>& ApiStreams();
// Null: there is none.
const ApiMethod* FindApiMethod(std::string_view path);
const ApiMethod* FindApiStream(std::string_view path);

}  // namespace wharf::console
