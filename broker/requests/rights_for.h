// RightsFor: the rights that a request takes, each with the path that it is needed on.
//
// A path is read here by the function that finds what it means (core/entities/names.h): there are
// no two readings of an address. Used by the pipeline, on doors' threads.
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "broker/access/rights.h"
#include "broker/core/entities/names.h"
#include "broker/requests/need.h"

namespace wharf {

// Of the address of a lane, and of the name of an entity: the paths that the directory and the
// catalog find them by. See access/resource.h.
std::string ResourceOfAddress(std::string_view address);
std::string ResourceOfName(std::string_view name);

// Told a right and the path of an entity, empty for the namespace. Not ok: it is not there.
using CheckRightOn = absl::FunctionRef<Status(access::Right right, const std::string& path)>;

// All that the request takes, until one is not there. What an entity forwards to is not in it: what
// an update makes of one is not known before it is made. See CheckForwardRights.
template <typename Request>
Status CheckRights(const Request& request, CheckRightOn check);
Status CheckRights(const RunTransactionRequest& request, CheckRightOn check);
Status CheckRights(const AddToTransactionRequest& request, CheckRightOn check);
Status CheckRights(const CreateEntityRequest& request, CheckRightOn check);
Status CheckRights(const BeginJobRequest& request, CheckRightOn check);

// Manage on each entity that the description names to forward to and the current one, if there is
// one, does not (SEC-25).
Status CheckForwardRights(const QueueDescription* current, const QueueDescription& wanted,
                          CheckRightOn check);

// The path by which it is asked over HTTP, where that is below the entity, or a word of the
// namespace: a token for that alone is enough (SEC-6). Empty: it has none of its own.
template <typename Request>
std::string HttpPathOf(const Request&) {
  return {};
}
std::string HttpPathOf(const GetNamespaceRequest& request);
std::string HttpPathOf(const ListEntitiesRequest& request);
std::string HttpPathOf(const ListSubscriptionsRequest& request);
std::string HttpPathOf(const AddRuleRequest& request);
std::string HttpPathOf(const UpdateRuleRequest& request);
std::string HttpPathOf(const RemoveRuleRequest& request);
std::string HttpPathOf(const GetRuleRequest& request);
std::string HttpPathOf(const ListRulesRequest& request);

// The right on a resource, or on what is below it, if there is something.
Status CheckEither(access::Right right, const std::string& resource, const std::string& below,
                   CheckRightOn check);

template <typename Request>
std::string ResourceOf(const Request& request) {
  if constexpr (requires { request.entity.path; }) {
    return ResourceOfAddress(request.entity.path);
  } else if constexpr (requires { request.subscription; }) {
    return ResourceOfName(request.subscription);
  } else if constexpr (requires { request.topic; }) {
    return ResourceOfName(request.topic);
  } else if constexpr (requires { request.path; }) {
    return ResourceOfName(request.path);
  } else {
    return ResourceOfName(request.name);
  }
}

template <typename Request>
Status CheckRights(const Request& request, CheckRightOn check) {
  constexpr Need kNeeded = kNeed<Request>;
  static_assert(kNeeded.on != On::kParts, "a transaction has a CheckRights of its own");
  if constexpr (kNeeded.on == On::kEntity) {
    return CheckEither(*kNeeded.right, ResourceOf(request), HttpPathOf(request), check);
  }
  if constexpr (kNeeded.on == On::kNamespace) {
    return CheckEither(*kNeeded.right, std::string(), HttpPathOf(request), check);
  }
  return {};
}

}  // namespace wharf
