// DefinitionsWriter: definitions as the text of a file, which definitions_reader.h reads back.
//
// In a stable order: entities, rules and access rules by their names, regardless of case, and the
// properties as the API has them. So two texts of the same definitions are equal byte for byte. A
// pure function.
#pragma once

#include <string>

#include "tools/wharf/definitions/definitions.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

Json WriteDefinitions(Definitions definitions);
// A key a line, with a line feed at its end.
std::string DefinitionsText(Definitions definitions);

}  // namespace wharf::tool
