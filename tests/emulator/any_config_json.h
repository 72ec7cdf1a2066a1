// Config.json for tests: the emulator's own example, what stands around a queue, and any bytes as a
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wharf::emulator {

// tests/emulator/Config.json, which is the example of Microsoft's pages.
const std::string& Example();

// A file with the queue `q`, which has these properties; in line 2.
std::string OfQueue(const std::string& properties);
// A file with a topic `t`, its subscription `s` and this rule; in line 2.
std::string OfRule(const std::string& rule);

// Reads them, and ends the process if what comes of it could not be used.
void ReadAnyConfigJson(const std::uint8_t* bytes, std::size_t size);

}  // namespace wharf::emulator
