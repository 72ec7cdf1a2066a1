// PlanPrinter: a plan as people and programs read it, and what is said of one of its changes.
//
//   create queue orders
//   update queue bills
//     lock_duration  1m -> 30s
//   leave queue old, which is not in the file
//   plan: 1 to create, 1 to update, 0 to delete; 12 are as they should be
//
// On the main thread.
#pragma once

#include <string>

#include "tools/wharf/definitions/plan.h"
#include "tools/wharf/program.h"

namespace wharf::tool {

// "create queue orders", "replace rule red of sales/Subscriptions/all".
std::string TextOf(const Change& change);
Json PlanToJson(const Plan& plan);
void PrintPlan(Program& program, const Plan& plan);

}  // namespace wharf::tool
