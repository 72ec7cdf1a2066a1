// Rules, and what they say of a message, as text and as JSON.
//
// In JSON a rule is {"name": ..., "filter": {"kind": "sql", "text": ..., "parameters": {...}},
// "action": {"text": ...}, "created_at": ...}; the other kinds of filters are "true", "false" and
// "correlation", which has its properties as a message has them. Pure functions, but for Print.
#pragma once

#include <string>

#include "tools/wharf/terminal/output.h"
#include "tools/wharf/text/json.h"
#include "wharf/v1/topics.pb.h"

namespace wharf::tool {

Json ToJson(const v1::Rule& rule);
// On one line: "color = 'red'", or "subject=\"urgent\" color=\"red\"", or "true".
std::string FilterText(const v1::Rule& rule);
// Lines "name   value", as PrintFields has them.
void PrintRule(Output& out, const v1::Rule& rule);

Json ToJson(const v1::RuleVerdict& verdict);
void PrintVerdict(Output& out, const v1::RuleVerdict& verdict);

}  // namespace wharf::tool
