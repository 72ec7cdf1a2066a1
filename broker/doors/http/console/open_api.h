// OpenApi: the document that describes the JSON API, as OpenAPI 3.0: each method with its messages,
// made of the descriptors. A pure function.
#pragma once

#include <string>

namespace wharf::console {

std::string OpenApiDocument(const std::string& version);

}  // namespace wharf::console
