#include "tools/client/management.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Management::Stub;

Management::Management(std::shared_ptr<grpc::Channel> channel, Duration timeout)
    : stub_(v1::Management::NewStub(std::move(channel))), timeout_(timeout) {}

Result<v1::QueueProperties> Management::CreateQueue(const v1::QueueProperties& queue) {
  v1::CreateQueueRequest request;
  *request.mutable_queue() = queue;
  return CallUnary(*stub_, &Stub::CreateQueue, request, timeout_);
}

Result<v1::QueueProperties> Management::UpdateQueue(const v1::QueueProperties& queue) {
  v1::UpdateQueueRequest request;
  *request.mutable_queue() = queue;
  return CallUnary(*stub_, &Stub::UpdateQueue, request, timeout_);
}

Result<v1::QueueProperties> Management::GetQueue(const std::string& name) {
  v1::GetQueueRequest request;
  request.set_name(name);
  return CallUnary(*stub_, &Stub::GetQueue, request, timeout_);
}

Result<v1::ListQueuesResponse> Management::ListQueues(const std::string& page_token) {
  v1::ListQueuesRequest request;
  request.set_page_token(page_token);
  return CallUnary(*stub_, &Stub::ListQueues, request, timeout_);
}

Status Management::DeleteQueue(const std::string& name) {
  v1::DeleteQueueRequest request;
  request.set_name(name);
  return CallUnary(*stub_, &Stub::DeleteQueue, request, timeout_).status();
}

Result<v1::QueueRuntimeProperties> Management::GetQueueRuntimeProperties(const std::string& name) {
  v1::GetQueueRuntimePropertiesRequest request;
  request.set_name(name);
  return CallUnary(*stub_, &Stub::GetQueueRuntimeProperties, request, timeout_);
}

Result<v1::BrokerStatistics> Management::GetBrokerStatistics() {
  return CallUnary(*stub_, &Stub::GetBrokerStatistics, v1::GetBrokerStatisticsRequest(), timeout_);
}

}  // namespace wharf::client
