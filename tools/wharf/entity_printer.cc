#include "tools/wharf/entity_printer.h"

#include <fmt/core.h>

namespace wharf::tool {

ExitCode PrintEntity(Program& program, const google::protobuf::Message& properties,
                     const google::protobuf::Message* runtime) {
  if (program.is_json) {
    Json json = {{"properties", FieldsToJson(properties)}};
    if (runtime != nullptr) json["runtime"] = FieldsToJson(*runtime);
    program.out.PrintJson(json);
    return ExitCode::kOk;
  }
  program.out.Print("properties\n");
  PrintFields(program.out, properties);
  if (runtime != nullptr) {
    program.out.Print("runtime\n");
    PrintFields(program.out, *runtime);
  }
  return ExitCode::kOk;
}

ExitCode PrintDeleted(Program& program, const std::string& path) {
  if (program.is_json) {
    program.out.PrintJson({{"deleted", path}});
  } else {
    program.out.Print("deleted {}\n", path);
  }
  return ExitCode::kOk;
}

}  // namespace wharf::tool
