#include "tools/wharf/entities/entity_printer.h"

#include <fmt/core.h>

namespace wharf::tool {
namespace {

using google::protobuf::Message;

// The given properties that are otherwise: " with another lock_duration, max_delivery_count".
std::string DifferenceText(const GivenProperties& given, const Message& wanted,
                           const Message& existing) {
  std::string text;
  for (const auto& [name, value] : given) {
    const auto& field = *wanted.GetDescriptor()->FindFieldByName(name);
    if (FieldToText(wanted, field) == FieldToText(existing, field)) continue;
    text += (text.empty() ? " with another " : ", ") + name;
  }
  return text;
}

}  // namespace

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

ExitCode PrintExisting(Program& program, const std::string& path, const GivenProperties& given,
                       const Message& wanted, const Message& existing) {
  if (program.is_json) {
    program.out.PrintJson({{"existed", true}, {"properties", FieldsToJson(existing)}});
    return ExitCode::kOk;
  }
  program.err.Print("'{}' exists already{}; it stays as it is\n", path,
                    DifferenceText(given, wanted, existing));
  return PrintEntity(program, existing, nullptr);
}

bool IsInTheWay(const Status& status) {
  return status.code() == ErrorCode::kMessagingEntityAlreadyExists;
}

void AddIfNotExistsFlag(CLI::App& command, bool& accepts_existing) {
  command.add_flag("--if-not-exists", accepts_existing,
                   "If it exists already, leave it as it is, show it and say so, with exit code 0");
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
