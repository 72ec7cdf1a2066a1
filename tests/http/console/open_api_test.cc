#include "broker/doors/http/console/open_api.h"

#include <set>
#include <string>

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "broker/doors/http/console/api_methods.h"

namespace wharf::console {
namespace {

using nlohmann::json;

// All that the document refers to.
void CollectReferences(const json& value, std::set<std::string>& all) {
  if (value.is_object() && value.contains("$ref")) all.insert(value["$ref"]);
  if (!value.is_structured()) return;
  for (const auto& inner : value) CollectReferences(inner, all);
}

std::string ReferenceTo(const google::protobuf::Descriptor& type) {
  return "#/components/schemas/" + type.full_name();
}

TEST(ApiMethodsTest, TheyAreFoundByTheirPaths) {
  for (const ApiMethod& method : ApiMethods()) {
    EXPECT_EQ(FindApiMethod(method.path), &method);
    EXPECT_EQ(FindApiMethod(method.path + "x"), nullptr);
    EXPECT_EQ(FindApiStream(method.path), nullptr);
  }
  EXPECT_EQ(FindApiMethod("/api/v1/Messaging/Send")->grpc_path, "/wharf.v1.Messaging/Send");
  EXPECT_TRUE(FindApiMethod("/api/v1/Cluster/Found")->is_of_every_node);
  EXPECT_TRUE(FindApiMethod("/api/v1/Backups/Create")->is_of_every_node);
  EXPECT_EQ(FindApiStream("/api/v1/Messaging/SendStream")->grpc_path,
            "/wharf.v1.Messaging/SendStream");
  EXPECT_EQ(FindApiMethod("/api/v1/Messaging/SendStream"), nullptr);
  EXPECT_EQ(FindApiMethod("/api/v1/messaging/send"), nullptr);
  EXPECT_EQ(FindApiMethod(""), nullptr);
}

TEST(OpenApiTest, ItHasEachMethodAndNoReferenceThatLeadsNowhere) {
  const json document = json::parse(OpenApiDocument("1.2.3"));

  EXPECT_EQ(document["info"]["version"], "1.2.3");
  EXPECT_EQ(document["paths"].size(), ApiMethods().size() + ApiStreams().size() + 2);
  for (const ApiMethod& method : ApiMethods()) {
    const json& operation = document["paths"][method.path]["post"];
    const json parameters = operation.value("parameters", json::array());
    ASSERT_EQ(parameters.size(), 1U) << method.path;
    EXPECT_EQ(parameters[0]["name"], "X-Wharf-Request") << method.path;
    const json& schema = operation["requestBody"]["content"]["application/json"]["schema"];
    EXPECT_EQ(schema["$ref"], ReferenceTo(*method.descriptor->input_type())) << method.path;
  }
  for (const ApiMethod& method : ApiStreams()) {
    const json& operation = document["paths"][method.path]["get"];
    ASSERT_TRUE(operation.contains("x-websocket-request")) << method.path;
    EXPECT_EQ(operation["x-websocket-request"]["$ref"],
              ReferenceTo(*method.descriptor->input_type()));
    EXPECT_EQ(operation["x-websocket-response"]["$ref"],
              ReferenceTo(*method.descriptor->output_type()));
  }
  std::set<std::string> references;
  CollectReferences(document, references);
  for (const std::string& reference : references) {
    EXPECT_TRUE(document.contains(json::json_pointer(reference.substr(1)))) << reference;
  }
}

TEST(OpenApiTest, BodiesAreThereAsTheyAre) {
  const json bodies = json::parse(OpenApiDocument("1"))["paths"]["/api/v1/bodies"];
  EXPECT_TRUE(bodies["get"]["responses"]["200"]["content"].contains("application/octet-stream"));
  EXPECT_EQ(bodies["get"]["parameters"].size(), 2U);
  EXPECT_EQ(bodies["post"]["parameters"].size(), 3U);
}

TEST(OpenApiTest, AMessageSaysOfEachFieldWhatJsonHasForIt) {
  const json document = json::parse(OpenApiDocument("1"));
  const json& message = document["components"]["schemas"]["wharf.v1.Message"]["properties"];

  EXPECT_EQ(message["body"]["format"], "byte");
  EXPECT_EQ(message["timeToLive"]["type"], "string");
  EXPECT_EQ(message["applicationProperties"]["additionalProperties"]["$ref"],
            "#/components/schemas/wharf.v1.PropertyValue");
}

}  // namespace
}  // namespace wharf::console
