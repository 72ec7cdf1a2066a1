// Target URIs: how the entity that another one forwards to is called over HTTP: sb://host/name.
// Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace wharf::atom {

// The name of the entity, which may stand there by itself. Its case stays as it is.
std::string EntityOfUri(std::string_view uri);
// `host` is as the client calls this broker, with its port if it has one.
std::string UriOfEntity(std::string_view host, std::string_view name);

}  // namespace wharf::atom
