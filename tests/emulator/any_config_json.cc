#include "tests/emulator/any_config_json.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "broker/emulator/config_json.h"
#include "broker/emulator/difference.h"

namespace wharf::emulator {

const std::string& Example() {
  static const std::string kText = [] {
    std::ifstream file(WHARF_CONFIG_JSON);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return kText;
}

std::string OfQueue(const std::string& properties) {
  return "{\"UserConfig\": {\"Namespaces\": [{\"Queues\": [\n{\"Name\": \"q\", \"Properties\": " +
         properties + "}]}]}}";
}

std::string OfRule(const std::string& rule) {
  return "{\"UserConfig\": {\"Namespaces\": [{\"Topics\": [{\"Name\": \"t\", \"Subscriptions\": "
         "[{\"Name\": \"s\", \"Rules\": [\n" +
         rule + "]}]}]}]}}";
}

// What is read is made of nothing that is there, and is what it already is afterwards.
void ReadAnyConfigJson(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  config::Complaints complaints;
  const Wanted wanted = WantedOf("any", text, complaints);
  if (!complaints.empty()) return;
  Present present;
  Findings findings("any", complaints);
  const std::vector<Step> steps = DifferenceOf(wanted, present, findings);
  if (!complaints.empty()) return;
  if (steps.size() < wanted.entities.size()) std::abort();
  for (const WantedEntity& each : wanted.entities) {
    present.Put({.kind = each.kind, .description = each.description});
    for (const WantedRule& rule : each.rules) present.PutRule(each.description.name, rule.rule);
  }
  if (!DifferenceOf(wanted, present, findings).empty()) std::abort();
}

}  // namespace wharf::emulator
