// Compile: from the text of a rule to what can be evaluated.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "broker/core/messages/property_value.h"
#include "broker/filter/assembler.h"
#include "broker/filter/program.h"
#include "storage/base/status.h"

namespace wharf::sql {

// Characters of a filter, and of an action (SQL-24, ACT-8).
inline constexpr std::size_t kTextCharactersMax = 1024;

// FilterException or RuleActionException, with the column, if the text is not of the language.
Result<Program> CompileFilter(const std::string& text, const PropertyMap& parameters);
Result<std::vector<Statement>> CompileAction(const std::string& text,
                                             const PropertyMap& parameters);

}  // namespace wharf::sql
