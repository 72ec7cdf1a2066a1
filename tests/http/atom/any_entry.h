// Any entry: a body that somebody sent to management over HTTP, whatever it is. Used by the fuzzer
// and by a test that has its first seeds.
#pragma once

#include <string_view>

namespace wharf::atom {

// Reads it as each thing that it may be; what could be read is written and read again, and must be
// the same. Aborts if it is not.
void TryAnyEntry(std::string_view text);

}  // namespace wharf::atom
