// ConfigJson: the file of the emulator of Service Bus, read:
//
//   UserConfig.Namespaces[].Queues[].{Name, Properties}
//   UserConfig.Namespaces[].Topics[].{Name, Properties, Subscriptions[].{Name, Properties,
//   Rules[]}} UserConfig.Logging                                     is read and forgotten
//
// Used by main.cc before the broker is there. All that is wrong is told, with its place.
#pragma once

#include <string>
#include <string_view>

#include "broker/config/complaints.h"
#include "broker/emulator/wanted.h"

namespace wharf::emulator {

// Of a larger file nothing is read.
inline constexpr std::size_t kConfigJsonBytesMax = std::size_t{16} << 20;

// If there are complaints, what it answers is not to be used.
Wanted ReadConfigJson(const std::string& file, config::Complaints& complaints);
// The same of its text.
Wanted WantedOf(const std::string& file, std::string_view text, config::Complaints& complaints);

}  // namespace wharf::emulator
