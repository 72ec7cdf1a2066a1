#include "broker/doors/grpc/convert/etag.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/core.h>

namespace wharf {

std::string EtagOf(EntityId entity, const google::protobuf::Message& properties) {
  const boost::uuids::name_generator_sha1 generator(boost::uuids::ns::oid());
  const std::string all = fmt::format("{}/{}", entity.value(), properties.SerializeAsString());
  return boost::uuids::to_string(generator(all));
}

}  // namespace wharf
