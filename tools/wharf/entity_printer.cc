#include "tools/wharf/entity_printer.h"

#include <fmt/core.h>

namespace wharf::tool {

ExitCode PrintEntity(const Program& program, const google::protobuf::Message& properties,
                     const google::protobuf::Message* runtime) {
  if (program.is_json) {
    Json json = {{"properties", FieldsToJson(properties)}};
    if (runtime != nullptr) json["runtime"] = FieldsToJson(*runtime);
    PrintJson(json);
    return ExitCode::kOk;
  }
  fmt::print("properties\n");
  PrintFields(properties);
  if (runtime != nullptr) {
    fmt::print("runtime\n");
    PrintFields(*runtime);
  }
  return ExitCode::kOk;
}

ExitCode PrintDeleted(const Program& program, const std::string& path) {
  if (program.is_json) {
    PrintJson({{"deleted", path}});
  } else {
    fmt::print("deleted {}\n", path);
  }
  return ExitCode::kOk;
}

}  // namespace wharf::tool
