// AnyConfigFile: reads any text as a configuration file, and checks what must hold of it whatever
// was read. For the fuzzer and for the test that makes texts at random.
#pragma once

#include <string_view>

namespace wharf::config {

// Whether it is settings; else it is complaints, each with its line. Aborts if a promise is broken.
bool TryAnyConfigFile(std::string_view text);

}  // namespace wharf::config
