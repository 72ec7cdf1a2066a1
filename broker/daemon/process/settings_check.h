// What of a configuration only the rooms can judge that use it: the name of a node, and what the
// files hold that it names.
//
// A start opens the files itself, and ends with what is wrong; `config check` and a reload look at
// them before anything rests on it. Called by main.cc and the Reloader, on the main thread.
#pragma once

#include "broker/config/configuration.h"

namespace wharf {

void ComplainOfNode(config::Reading& reading);

// Nothing, where something else is wrong: the files may be those of another setting then.
void ComplainOfFiles(config::Reading& reading);

}  // namespace wharf
