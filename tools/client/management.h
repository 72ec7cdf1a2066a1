// Management: creates, shows, changes, purges and deletes queues; jobs; tells what the broker has
// done.
//
// Every call waits for its answer. Made by Client; any thread may call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/management.grpc.pb.h"

namespace wharf::client {

class Management {
 public:
  Management(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  Result<v1::QueueProperties> CreateQueue(const v1::QueueProperties& queue);
  Result<v1::QueueProperties> UpdateQueue(const v1::UpdateQueueRequest& request);
  // Replaces all properties of the queue of that name; what is absent returns to its default.
  Result<v1::QueueProperties> ReplaceQueue(const v1::QueueProperties& queue);
  Result<v1::QueueProperties> GetQueue(const std::string& name);
  // One page; `page_token` is empty for the first.
  Result<v1::ListQueuesResponse> ListQueues(const std::string& page_token);
  // Only if it still has this etag; empty: in any case.
  Status DeleteQueue(const std::string& name, const std::string& etag = {});
  Result<v1::QueueRuntimeProperties> GetQueueRuntimeProperties(const std::string& name);
  Result<v1::PurgeResponse> Purge(const v1::PurgeRequest& request);
  // Waits as long as it takes: the longer the more messages there are.
  Result<v1::CheckEntityResponse> CheckEntity(const v1::CheckEntityRequest& request);
  // One page.
  Result<v1::ListLocksResponse> ListLocks(const v1::ListLocksRequest& request);
  Result<v1::Job> StartRedrive(const v1::StartRedriveRequest& request);
  Result<v1::Job> StartDeleteMessages(const v1::StartDeleteMessagesRequest& request);
  Result<v1::Job> GetJob(std::int64_t id);
  // One page; `page_token` is empty for the first.
  Result<v1::ListJobsResponse> ListJobs(const std::string& page_token);
  Result<v1::Job> CancelJob(std::int64_t id);
  Result<v1::AccessRule> CreateAccessRule(const v1::CreateAccessRuleRequest& request);
  Result<v1::AccessRule> GetAccessRule(const v1::GetAccessRuleRequest& request);
  Result<v1::ListAccessRulesResponse> ListAccessRules(const v1::ListAccessRulesRequest& request);
  Result<v1::AccessRule> RotateAccessKey(const v1::RotateAccessKeyRequest& request);
  Status RemoveAccessRule(const v1::RemoveAccessRuleRequest& request);
  Result<v1::BrokerStatistics> GetBrokerStatistics();
  // One page; `page_token` is empty for the first.
  Result<v1::ListConnectionsResponse> ListConnections(const std::string& page_token);
  Status CloseConnection(std::int64_t id);
  Result<v1::ListEntityNumbersResponse> ListEntityNumbers(
      const v1::ListEntityNumbersRequest& request);

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
