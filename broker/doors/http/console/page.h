// Page: the console as people see it in a browser: what a GET of its files is answered.
//
// Anybody may load it: it holds nothing but itself, and asks the API as whoever signs in. Its
// policy lets it run its own scripts and ask its own origin, and nothing else. Pure functions of
// the ConsoleService.
#pragma once

#include <string_view>

#include "broker/doors/http/console/page_files.h"
#include "broker/doors/http/exchange.h"
#include "broker/requests/caller.h"

namespace wharf::console {

// Also where this build has no page: then the answer says so.
bool IsPagePath(std::string_view path);

// To a GET or HEAD of such a path. The page itself is asked for anew each time, and its files,
// whose names change with them, never again.
HttpResponse PageAnswer(const HttpRequest& head, const std::vector<PageFile>& files,
                        const TrackingId& id);

}  // namespace wharf::console
