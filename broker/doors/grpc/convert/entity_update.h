// EntityUpdate: what a request to update an entity makes of it, and whether one that deletes it
// may.
//
// The request tells which properties it sets, and perhaps which description it expects; what comes
// of it is known only when its turn comes, on the shard's thread. Used by the calls that change
// queues, topics and subscriptions.
#pragma once

#include <string>
#include <utility>

#include <fmt/core.h>
#include <google/protobuf/util/field_mask_util.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_topic.h"
#include "broker/doors/grpc/convert/etag.h"
#include "broker/requests/entity_requests.h"

namespace wharf {

// The request named the entity by its path already.
template <typename Properties>
void KeepName(const Properties& current, Properties& wanted) {
  if (wanted.name().empty()) wanted.set_name(current.name());
}
inline void KeepName(const v1::SubscriptionProperties& current,
                     v1::SubscriptionProperties& wanted) {
  if (wanted.topic().empty()) wanted.set_topic(current.topic());
  if (wanted.name().empty()) wanted.set_name(current.name());
}

// No mask, or "*", is all of them. One that is there and empty was refused.
inline bool IsOfAll(const google::protobuf::FieldMask& mask) {
  return mask.paths().empty() || (mask.paths_size() == 1 && mask.paths(0) == "*");
}

template <typename Properties, typename Request>
Status CheckMask(const Request& request) {
  const google::protobuf::FieldMask& mask = request.update_mask();
  if (request.has_update_mask() && mask.paths().empty()) {
    return BadValue("update_mask", "names nothing; without it all properties are replaced");
  }
  if (IsOfAll(mask)) return {};
  for (const std::string& path : mask.paths()) {
    if (google::protobuf::util::FieldMaskUtil::IsValidPath<Properties>(path)) continue;
    return BadValue("update_mask", fmt::format("names '{:.64}', which is no property", path));
  }
  return {};
}

// What `current` becomes.
template <typename Properties>
Properties Updated(const Properties& current, Properties asked,
                   const google::protobuf::FieldMask& mask) {
  if (IsOfAll(mask)) {
    KeepName(current, asked);
    return asked;
  }
  Properties wanted = current;
  google::protobuf::util::FieldMaskUtil::MergeOptions options;
  options.set_replace_message_fields(true);
  google::protobuf::util::FieldMaskUtil::MergeMessageTo(asked, mask, options, &wanted);
  KeepName(current, wanted);
  return wanted;
}

// Of a request whose mask was checked.
template <typename Properties>
EntityEdit EditOf(const Properties& properties, const google::protobuf::FieldMask& mask) {
  return
      [asked = properties, mask](const EntityRecord& record) mutable -> Result<QueueDescription> {
        Properties current;
        ToProto(record, &current);
        WHARF_RETURN_IF_ERROR(CheckEtag(asked.etag(), current.etag(), record.description.name));
        Result<QueueDescription> wanted = FromProto(Updated(current, std::move(asked), mask));
        // It has no word for them (EPR-24).
        if (wanted.ok()) wanted->unknown_elements = record.description.unknown_elements;
        return wanted;
      };
}

// Of a request to delete one that perhaps expects this etag.
template <typename Properties>
EntityCheck CheckOf(const std::string& etag) {
  if (etag.empty()) return {};
  return [etag](const EntityRecord& record) {
    Properties current;
    ToProto(record, &current);
    return CheckEtag(etag, current.etag(), record.description.name);
  };
}

}  // namespace wharf
