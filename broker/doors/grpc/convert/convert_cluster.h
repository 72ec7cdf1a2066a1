// What is told and asked of the cluster, in the words of wharf.v1, and what may be a member's name
// and address. Pure functions; used by ClusterService.
#pragma once

#include <string_view>

#include <wharf/v1/cluster.pb.h>

#include "broker/requests/cluster_control.h"
#include "storage/base/status.h"

namespace wharf {

void ToProto(const ClusterStatus& status, v1::ClusterStatus* proto);
void ToProto(const StateVerification& verification, v1::VerifyStateResponse* proto);

// ArgumentError that says how it is right.
Status CheckMemberName(std::string_view name);
// As "n1:5691" or "[::1]:5691"; the error names the field.
Status CheckMemberAddress(std::string_view field, std::string_view address);

}  // namespace wharf
