// AnyDefinitionsFile: reads any text as a file of definitions, and checks what must hold of it
// whatever was read. For the fuzzer and for the test that makes texts at random.
#pragma once

#include <string_view>

namespace wharf::tool {

// Whether it is definitions: then they are written and read back as they are, and applied twice
// they change nothing. Else it is one sentence with a place. Aborts if a promise is broken.
bool TryAnyDefinitionsFile(std::string_view text);

}  // namespace wharf::tool
