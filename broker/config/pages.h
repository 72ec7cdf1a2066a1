// Pages: the configuration as a file: what is in force, and what there is. Pure functions, for
// `wharfd config`.
#pragma once

#include <string>

#include "broker/config/configuration.h"

namespace wharf::config {

// Each key with its value, and in a comment who said so.
std::string EffectivePage(const Configuration& configuration);

// Each key with what it means, what it takes and its default, which is commented out. So is
// deploy/wharfd.toml.
std::string ExamplePage();

}  // namespace wharf::config
