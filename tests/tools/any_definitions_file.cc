#include "tests/tools/any_definitions_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/wharf/definitions/definitions_reader.h"
#include "tools/wharf/definitions/definitions_writer.h"
#include "tools/wharf/definitions/plan.h"

namespace wharf::tool {
namespace {

constexpr std::string_view kDigits = "0123456789";

[[noreturn]] void Break(const std::string& what) {
  std::fprintf(stderr, "a promise is broken: %s\n", what.c_str());
  std::abort();
}

std::string_view WithoutDigits(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kDigits), text.size()));
}

// "3:14: what is wrong", or ".queues[0].name: what is wrong".
bool NamesItsPlace(std::string_view sentence) {
  if (sentence.starts_with('.')) return sentence.find(": ") != sentence.npos;
  const std::string_view behind_line = WithoutDigits(sentence);
  if (behind_line.size() == sentence.size() || !behind_line.starts_with(':')) return false;
  const std::string_view behind_column = WithoutDigits(behind_line.substr(1));
  return behind_column.size() + 1 < behind_line.size() && behind_column.starts_with(": ");
}

}  // namespace

bool TryAnyDefinitionsFile(std::string_view text) {
  const Result<Definitions> read = ReadDefinitions(text);
  if (!read.ok()) {
    if (!NamesItsPlace(read.status().message())) Break(read.status().message());
    return false;
  }
  const std::string written = DefinitionsText(*read);
  const Result<Definitions> again = ReadDefinitions(written);
  if (!again.ok()) Break(again.status().message() + " in what was written:\n" + written);
  if (DefinitionsText(*again) != written) Break("written twice it differs:\n" + written);
  const Plan plan = MakePlan(*again, {.definitions = *read, .holdings = {}}, {});
  if (!plan.changes.empty()) Break("what was done is to be done again:\n" + written);
  if (!plan.leftovers.empty()) Break("what was done leaves something over:\n" + written);
  return true;
}

}  // namespace wharf::tool
