#include "broker/doors/grpc/convert/etag.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace wharf {

namespace {

// Rules have maps, which are written in any order otherwise.
std::string StableBytesOf(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace

std::string EtagOf(EntityId entity, const google::protobuf::Message& properties) {
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  return boost::uuids::to_string(
      generator(fmt::format("{}/{}", entity.value(), StableBytesOf(properties))));
}

std::string EtagOf(const google::protobuf::Message& rule) { return EtagOf(EntityId(), rule); }

Status CheckEtag(std::string_view asked, std::string_view current, std::string_view name) {
  if (asked.empty() || asked == current) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' is not as it was when it had this etag; read it again", name)};
}

}  // namespace wharf
