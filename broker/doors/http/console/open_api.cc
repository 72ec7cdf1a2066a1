#include "broker/doors/http/console/open_api.h"

#include <utility>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <nlohmann/json.hpp>
#include <wharf/v1/messaging.pb.h>

#include "broker/doors/http/console/api_methods.h"
#include "broker/doors/http/console/body_call.h"
#include "broker/doors/http/console/json_check.h"
#include "broker/doors/http/console/sign_in.h"

namespace wharf::console {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using nlohmann::ordered_json;

ordered_json Reference(const std::string& name) {
  return {{"$ref", "#/components/schemas/" + name}};
}

ordered_json TextWith(const char* format) { return {{"type", "string"}, {"format", format}}; }

// What JSON has for a message that is a text there.
ordered_json WellKnown(const Descriptor& type) {
  if (type.full_name() == "google.protobuf.Timestamp") return TextWith("date-time");
  if (type.full_name() == "google.protobuf.Duration") {
    return {{"type", "string"}, {"pattern", R"(^-?\d+(\.\d{1,9})?s$)"}};
  }
  return {{"type", "string"}, {"description", "Names of fields, with commas between them"}};
}

ordered_json SchemaOf(const EnumDescriptor& type) {
  ordered_json names = ordered_json::array();
  for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
  return {{"type", "string"}, {"enum", std::move(names)}};
}

// The messages that are named, each once.
class Schemas {
 public:
  ordered_json ReferenceTo(const Descriptor& type) {
    const std::string& name = type.full_name();
    if (!all_.contains(name)) {
      all_[name] = ordered_json::object();  // It may have itself inside.
      ordered_json schema = SchemaOf(type);
      all_[name] = std::move(schema);
    }
    return Reference(name);
  }
  ordered_json Take() { return std::move(all_); }

 private:
  ordered_json SchemaOf(const Descriptor& type) {
    ordered_json fields = ordered_json::object();
    for (int i = 0; i < type.field_count(); ++i) {
      fields[type.field(i)->json_name()] = OfField(*type.field(i));
    }
    return {{"type", "object"}, {"properties", std::move(fields)}, {"additionalProperties", false}};
  }
  ordered_json OfField(const FieldDescriptor& field) {
    if (field.is_map()) {
      return {{"type", "object"},
              {"additionalProperties", OfValue(*field.message_type()->map_value())}};
    }
    if (field.is_repeated()) return {{"type", "array"}, {"items", OfValue(field)}};
    return OfValue(field);
  }
  ordered_json OfValue(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return {{"type", "integer"}, {"format", "int32"}};
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"minimum", 0}, {"maximum", 4294967295}};
      case FieldDescriptor::CPPTYPE_INT64:
        return TextWith("int64");
      case FieldDescriptor::CPPTYPE_UINT64:
        return TextWith("uint64");
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return {{"type", "number"}, {"format", "double"}};
      case FieldDescriptor::CPPTYPE_FLOAT:
        return {{"type", "number"}, {"format", "float"}};
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return wharf::console::SchemaOf(*field.enum_type());
      case FieldDescriptor::CPPTYPE_STRING:
        if (field.type() == FieldDescriptor::TYPE_BYTES) return TextWith("byte");
        return {{"type", "string"}};
      case FieldDescriptor::CPPTYPE_MESSAGE:
        break;
    }
    const Descriptor& type = *field.message_type();
    return IsTextInJson(type) ? WellKnown(type) : ReferenceTo(type);
  }

  ordered_json all_ = ordered_json::object();
};

ordered_json InJson(ordered_json schema) {
  return {{"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

ordered_json Answer(std::string description, ordered_json schema) {
  ordered_json answer = InJson(std::move(schema));
  answer["description"] = std::move(description);
  return answer;
}

ordered_json ErrorSchema() {
  ordered_json fields = ordered_json::object();
  for (const char* name : {"code", "status", "message", "entityPath", "outcome", "trackingId"}) {
    fields[name] = {{"type", "string"}};
  }
  fields["isTransient"] = {{"type", "boolean"}};
  fields["leader"] = {{"type", "string"}};
  ordered_json error{{"type", "object"}, {"properties", std::move(fields)}};
  return {{"type", "object"}, {"properties", {{"error", std::move(error)}}}};
}

ordered_json RequestField() {
  return {{"name", "X-Wharf-Request"},
          {"in", "header"},
          {"required", true},
          {"description", "Any value: no page of another origin can send it"},
          {"schema", {{"type", "string"}}}};
}

ordered_json Operation(const ApiMethod& method, Schemas& schemas) {
  const auto& descriptor = *method.descriptor;
  const std::string& service = descriptor.service()->name();
  ordered_json operation{{"operationId", service + "_" + descriptor.name()}};
  operation["tags"] = ordered_json::array({service});
  operation["parameters"] = ordered_json::array({RequestField()});
  operation["requestBody"] = InJson(schemas.ReferenceTo(*descriptor.input_type()));
  operation["responses"] = {
      {"200", Answer("It is done", schemas.ReferenceTo(*descriptor.output_type()))},
      {"default", Answer("It is not", Reference("Error"))}};
  return {{"post", std::move(operation)}};
}

// OpenAPI has no words for a WebSocket: what its texts are stands in fields of our own.
ordered_json StreamOperation(const ApiMethod& method, Schemas& schemas) {
  const auto& descriptor = *method.descriptor;
  const std::string& service = descriptor.service()->name();
  ordered_json operation{{"operationId", service + "_" + descriptor.name()}};
  operation["tags"] = ordered_json::array({service});
  operation["description"] =
      "A WebSocket, sub-protocol wharf.v1.json: each text is a request or a response";
  operation["x-websocket-request"] = schemas.ReferenceTo(*descriptor.input_type());
  operation["x-websocket-response"] = schemas.ReferenceTo(*descriptor.output_type());
  operation["responses"] = {{"101", {{"description", "The stream begins"}}},
                            {"default", Answer("It does not", Reference("Error"))}};
  return {{"get", std::move(operation)}};
}

ordered_json SessionOperations() {
  const ordered_json text{{"type", "string"}};
  const ordered_json given{
      {"type", "object"},
      {"properties",
       {{"keyName", text}, {"key", text}, {"entityPath", text}, {"connectionString", text}}}};
  const ordered_json told{{"type", "object"},
                          {"properties",
                           {{"isAccessOn", {{"type", "boolean"}}},
                            {"rule", text},
                            {"entityPath", text},
                            {"client", text},
                            {"rights", {{"type", "array"}, {"items", text}}},
                            {"session", text},
                            {"idleSeconds", {{"type", "integer"}}}}}};
  const ordered_json error = Answer("It is not", Reference("Error"));
  const ordered_json parameters = ordered_json::array({RequestField()});
  return {{"post",
           {{"operationId", "Session_Begin"},
            {"parameters", parameters},
            {"requestBody", InJson(given)},
            {"responses", {{"201", Answer("Signed in", told)}, {"default", error}}}}},
          {"get",
           {{"operationId", "Session_Get"},
            {"responses", {{"200", Answer("Who asks", told)}, {"default", error}}}}},
          {"delete",
           {{"operationId", "Session_End"},
            {"parameters", parameters},
            {"responses", {{"204", {{"description", "Signed out"}}}, {"default", error}}}}}};
}

ordered_json Parameter(const char* name, const char* in, bool is_required, ordered_json schema) {
  return {{"name", name}, {"in", in}, {"required", is_required}, {"schema", std::move(schema)}};
}

ordered_json BodyOperations(Schemas& schemas) {
  const ordered_json text{{"type", "string"}};
  const ordered_json bytes{{"application/octet-stream", {{"schema", TextWith("binary")}}}};
  const ordered_json error = Answer("It is not", Reference("Error"));
  ordered_json message = Parameter("X-Wharf-Message", "header", false, text);
  message["description"] = "All of a wharf.v1.Message but its body, as JSON";
  const ordered_json entity = Parameter("entityPath", "query", true, text);
  return {{"get",
           {{"operationId", "Body_Get"},
            {"parameters", {entity, Parameter("sequenceNumber", "query", true, TextWith("int64"))}},
            {"responses",
             {{"200", {{"description", "The body as it is"}, {"content", bytes}}},
              {"default", error}}}}},
          {"post",
           {{"operationId", "Body_Send"},
            {"parameters", {RequestField(), entity, message}},
            {"requestBody", {{"content", bytes}}},
            {"responses",
             {{"200", Answer("It is sent", schemas.ReferenceTo(*v1::SendResult::descriptor()))},
              {"default", error}}}}}};
}

// A token as over REST, or a session.
ordered_json SecuritySchemes() {
  return {
      {"authorization",
       {{"type", "apiKey"},
        {"in", "header"},
        {"name", "Authorization"},
        {"description", "A shared access signature, or Session and the id of one"}}},
      {"cookie", {{"type", "apiKey"}, {"in", "cookie"}, {"name", std::string(kSessionCookie)}}}};
}

}  // namespace

std::string OpenApiDocument(const std::string& version) {
  Schemas schemas;
  ordered_json paths = ordered_json::object();
  paths[std::string(SignIn::kPath)] = SessionOperations();
  for (const ApiMethod& method : ApiMethods()) paths[method.path] = Operation(method, schemas);
  paths[std::string(kBodiesPath)] = BodyOperations(schemas);
  for (const ApiMethod& method : ApiStreams()) {
    paths[method.path] = StreamOperation(method, schemas);
  }
  ordered_json components{{"schemas", schemas.Take()}};
  components["schemas"]["Error"] = ErrorSchema();
  components["securitySchemes"] = SecuritySchemes();
  ordered_json document{{"openapi", "3.0.3"},
                        {"info", {{"title", "Wharf"}, {"version", version}}},
                        {"paths", std::move(paths)},
                        {"components", std::move(components)}};
  document["security"] = ordered_json::array(
      {{{"authorization", ordered_json::array()}}, {{"cookie", ordered_json::array()}}});
  return document.dump() + "\n";
}

}  // namespace wharf::console
