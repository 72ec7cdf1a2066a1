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
  if constexpr (kNeeded.on == On::kEntity) return check(*kNeeded.right, ResourceOf(request));
  if constexpr (kNeeded.on == On::kNamespace) return check(*kNeeded.right, std::string());
  return {};
}

}  // namespace wharf
