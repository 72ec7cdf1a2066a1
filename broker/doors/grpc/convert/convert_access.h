// Rules of access and their parts, from and to protocol buffers.
#pragma once

#include <google/protobuf/repeated_field.h>
#include <wharf/v1/management.pb.h>

#include "broker/requests/access_requests.h"
#include "storage/base/status.h"

namespace wharf {

void ToProto(const AccessRuleInfo& rule, v1::AccessRule* proto);
Result<access::Rights> RightsFromProto(const google::protobuf::RepeatedField<int>& proto);
Result<access::KeySlot> KeySlotFromProto(v1::AccessKeySlot proto);

}  // namespace wharf
