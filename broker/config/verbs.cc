#include "broker/config/verbs.h"

#include <cstdio>
#include <string>

#include <fmt/core.h>

#include "broker/config/environment.h"
#include "broker/config/pages.h"

namespace wharf::config {
namespace {

constexpr int kBadUsage = 2;

int Print(const std::string& page) {
  fmt::print("{}", page);
  return 0;
}

// What is good may still lack a key, which then is said elsewhere when it starts.
int Approve(const Configuration& configuration, const char* const* variables) {
  for (const std::string& sentence : StrangeVariables(variables)) fmt::print("{}\n", sentence);
  for (const Key* const key : MissingKeys(configuration)) {
    fmt::print("{} is not said here: wharfd needs {} or {}, too\n", key->name, FlagOf(*key),
               VariableOf(*key));
  }
  return Print("the configuration is good\n");
}

}  // namespace

int Refuse(const Complaints& complaints) {
  for (const std::string& line : complaints.Lines()) fmt::print(stderr, "{}\n", line);
  return kBadUsage;
}

int RunVerb(CommandLine::Verb verb, const Reading& reading, const char* const* variables) {
  if (verb == CommandLine::Verb::kExample) return Print(ExamplePage());
  if (!reading.complaints.empty()) return Refuse(reading.complaints);
  if (verb == CommandLine::Verb::kPrint) return Print(EffectivePage(reading.configuration));
  return Approve(reading.configuration, variables);
}

}  // namespace wharf::config
