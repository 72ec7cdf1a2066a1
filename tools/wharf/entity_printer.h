// What the commands of queues, topics and subscriptions show alike: properties and counters, lists,
// and what was deleted. On the command line's only thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <google/protobuf/message.h>

#include "tools/wharf/field_text.h"
#include "tools/wharf/program.h"

namespace wharf::tool {

// `runtime` may be null.
ExitCode PrintEntity(Program& program, const google::protobuf::Message& properties,
                     const google::protobuf::Message* runtime);
ExitCode PrintDeleted(Program& program, const std::string& path);

// Entities with their counters: both lists are as long.
template <typename Properties, typename Runtime>
Json EntitiesToJson(const Properties& properties, const Runtime& runtime) {
  Json entities = Json::array();
  for (int i = 0; i < properties.size() && i < runtime.size(); ++i) {
    entities.push_back(
        {{"properties", FieldsToJson(properties[i])}, {"runtime", FieldsToJson(runtime[i])}});
  }
  return entities;
}

// Of the column of names in a table.
template <typename Properties>
int NameWidth(const Properties& properties) {
  std::size_t width = 4;
  for (const auto& entity : properties) width = std::max(width, entity.name().size());
  return static_cast<int>(width);
}

}  // namespace wharf::tool
