// FileReading: what becomes of a file's text, for the tests of configuration.
#pragma once

#include <string_view>

#include "broker/config/config_file.h"
#include "broker/config/configuration.h"

namespace wharf::config {

// As if wharfd were started with this text in the file "f" and nothing else.
inline Reading ReadText(std::string_view text) {
  Reading reading;
  Apply(EntriesOfFile(text, "f", reading.complaints), reading);
  return reading;
}

}  // namespace wharf::config
