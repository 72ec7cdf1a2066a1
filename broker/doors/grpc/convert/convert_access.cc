#include "broker/doors/grpc/convert/convert_access.h"

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/etag.h"

namespace wharf {
namespace {

v1::AccessRight RightToProto(access::Right right) {
  switch (right) {
    case access::Right::kSend:
      return v1::ACCESS_RIGHT_SEND;
    case access::Right::kListen:
      return v1::ACCESS_RIGHT_LISTEN;
    case access::Right::kManage:
      return v1::ACCESS_RIGHT_MANAGE;
  }
  return v1::ACCESS_RIGHT_UNSPECIFIED;
}

}  // namespace

void ToProto(const AccessRuleInfo& rule, v1::AccessRule* proto) {
  proto->set_entity_path(rule.path);
  proto->set_name(rule.name);
  for (const access::Right right : access::kAllRights) {
    if (rule.rights.Has(right)) proto->add_rights(RightToProto(right));
  }
  ToProto(rule.created_at, proto->mutable_created_at());
  proto->set_etag(EtagOf(*proto));
  if (!rule.keys) return;
  proto->set_primary_key(rule.keys->primary);
  proto->set_secondary_key(rule.keys->secondary);
}

Result<access::Rights> RightsFromProto(const google::protobuf::RepeatedField<int>& proto) {
  access::Rights rights;
  for (const int right : proto) {
    switch (right) {
      case v1::ACCESS_RIGHT_SEND:
        rights = rights | access::Right::kSend;
        break;
      case v1::ACCESS_RIGHT_LISTEN:
        rights = rights | access::Right::kListen;
        break;
      case v1::ACCESS_RIGHT_MANAGE:
        rights = rights | access::Right::kManage;
        break;
      default:
        return Status(ErrorCode::kArgumentError, "rights are Send, Listen and Manage");
    }
  }
  return rights;
}

Result<access::KeySlot> KeySlotFromProto(v1::AccessKeySlot proto) {
  if (proto == v1::ACCESS_KEY_SLOT_PRIMARY) return access::KeySlot::kPrimary;
  if (proto == v1::ACCESS_KEY_SLOT_SECONDARY) return access::KeySlot::kSecondary;
  return Status(ErrorCode::kArgumentError, "slot must be primary or secondary");
}

}  // namespace wharf
