// DefinitionsFile: a file of definitions on its way in and out; "-" is the standard input or
// output.
//
// On the main thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/definitions/definitions.h"

namespace wharf::tool {

// Larger ones are neither read nor written: 10,000 queues have about 10 MB.
inline constexpr std::size_t kDefinitionsBytesMax = std::size_t{64} * 1024 * 1024;

// ArgumentError: "FILE:<place>: <why>".
Result<Definitions> LoadDefinitions(const std::string& name);

// ArgumentError if the text is larger than what is read.
Status CheckDefinitionsSize(std::string_view text);
// Whole or not at all, also after a crash, where it is a plain file; one that is there keeps its
// mode. ArgumentError if it cannot be written.
Status SaveDefinitions(const std::string& name, std::string_view text);

}  // namespace wharf::tool
