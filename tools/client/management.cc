#include "tools/client/management.h"

#include <utility>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Management::Stub;

Management::Management(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::QueueProperties> Management::CreateQueue(const v1::QueueProperties& queue) {
  v1::CreateQueueRequest request;
  *request.mutable_queue() = queue;
  return CallUnary(*endpoints_, &Stub::CreateQueue, request, timeout_);
}

Result<v1::QueueProperties> Management::UpdateQueue(const v1::UpdateQueueRequest& request) {
  return CallUnary(*endpoints_, &Stub::UpdateQueue, request, timeout_);
}

Result<v1::QueueProperties> Management::ReplaceQueue(const v1::QueueProperties& queue) {
  v1::UpdateQueueRequest request;
  request.set_entity_path(queue.name());
  *request.mutable_queue() = queue;
  return UpdateQueue(request);
}

Result<v1::QueueProperties> Management::GetQueue(const std::string& name) {
  v1::GetQueueRequest request;
  request.set_entity_path(name);
  return CallToLook(*endpoints_, &Stub::GetQueue, request, timeout_);
}

Result<v1::ListQueuesResponse> Management::ListQueues(const std::string& page_token) {
  v1::ListQueuesRequest request;
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListQueues, request, timeout_);
}

Status Management::DeleteQueue(const std::string& name, const std::string& etag) {
  v1::DeleteQueueRequest request;
  request.set_entity_path(name);
  request.set_etag(etag);
  return CallUnary(*endpoints_, &Stub::DeleteQueue, request, timeout_).status();
}

Result<v1::QueueRuntimeProperties> Management::GetQueueRuntimeProperties(const std::string& name) {
  v1::GetQueueRuntimePropertiesRequest request;
  request.set_entity_path(name);
  return CallToLook(*endpoints_, &Stub::GetQueueRuntimeProperties, request, timeout_);
}

Result<v1::PurgeResponse> Management::Purge(const v1::PurgeRequest& request) {
  return CallUnary(*endpoints_, &Stub::Purge, request, timeout_);
}

Result<v1::CheckEntityResponse> Management::CheckEntity(const v1::CheckEntityRequest& request) {
  return CallUnary(*endpoints_, &Stub::CheckEntity, request, std::chrono::hours(24));
}

Result<v1::ListLocksResponse> Management::ListLocks(const v1::ListLocksRequest& request) {
  return CallToLook(*endpoints_, &Stub::ListLocks, request, timeout_);
}

Result<v1::Job> Management::StartRedrive(const v1::StartRedriveRequest& request) {
  return CallUnary(*endpoints_, &Stub::StartRedrive, request, timeout_);
}

Result<v1::Job> Management::StartDeleteMessages(const v1::StartDeleteMessagesRequest& request) {
  return CallUnary(*endpoints_, &Stub::StartDeleteMessages, request, timeout_);
}

Result<v1::Job> Management::GetJob(std::int64_t id) {
  v1::GetJobRequest request;
  request.set_id(id);
  return CallToLook(*endpoints_, &Stub::GetJob, request, timeout_);
}

Result<v1::ListJobsResponse> Management::ListJobs(const std::string& page_token) {
  v1::ListJobsRequest request;
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListJobs, request, timeout_);
}

Result<v1::Job> Management::CancelJob(std::int64_t id) {
  v1::CancelJobRequest request;
  request.set_id(id);
  return CallUnary(*endpoints_, &Stub::CancelJob, request, timeout_);
}

Result<v1::AccessRule> Management::CreateAccessRule(const v1::CreateAccessRuleRequest& request) {
  return CallUnary(*endpoints_, &Stub::CreateAccessRule, request, timeout_);
}

Result<v1::AccessRule> Management::GetAccessRule(const v1::GetAccessRuleRequest& request) {
  return CallToLook(*endpoints_, &Stub::GetAccessRule, request, timeout_);
}

Result<v1::ListAccessRulesResponse> Management::ListAccessRules(
    const v1::ListAccessRulesRequest& request) {
  return CallToLook(*endpoints_, &Stub::ListAccessRules, request, timeout_);
}

Result<v1::AccessRule> Management::RotateAccessKey(const v1::RotateAccessKeyRequest& request) {
  return CallUnary(*endpoints_, &Stub::RotateAccessKey, request, timeout_);
}

Status Management::RemoveAccessRule(const v1::RemoveAccessRuleRequest& request) {
  return CallUnary(*endpoints_, &Stub::RemoveAccessRule, request, timeout_).status();
}

Result<v1::BrokerStatistics> Management::GetBrokerStatistics() {
  return CallToLook(*endpoints_, &Stub::GetBrokerStatistics, v1::GetBrokerStatisticsRequest(),
                    timeout_);
}

Result<v1::ListEntityNumbersResponse> Management::ListEntityNumbers(
    const v1::ListEntityNumbersRequest& request) {
  return CallToLook(*endpoints_, &Stub::ListEntityNumbers, request, timeout_);
}

Result<v1::ListConnectionsResponse> Management::ListConnections(const std::string& page_token) {
  v1::ListConnectionsRequest request;
  request.set_page_token(page_token);
  return CallToLook(*endpoints_, &Stub::ListConnections, request, timeout_);
}

Status Management::CloseConnection(std::int64_t id) {
  v1::CloseConnectionRequest request;
  request.set_id(static_cast<std::uint64_t>(id));
  return CallUnary(*endpoints_, &Stub::CloseConnection, request, timeout_).status();
}

}  // namespace wharf::client
