// AskedResource: what a request over HTTP is about, and so what a token is good for that was made
// for the very URI of the request, as several SDKs make them: "q/messages/head?timeout=3" is below
// "q" and means it. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/access/permit.h"
#include "broker/access/rights.h"
#include "broker/doors/http/servicebus/data_route.h"

namespace wharf {

// By the path of a request without its escapes: the folded path of an entity, as rights are asked
// for it (requests/rights_for.h); empty: the namespace.
std::string AskedResource(const std::optional<DataRoute>& route, std::string_view path);

// The permit, as it counts for this one request: one whose token is for the request's own URI is
// good for what that is about, if its rule belongs to that, or is above. Else as it is.
access::PermitPtr PermitFor(access::PermitPtr permit, std::string_view path,
                            const std::string& asked);

// The right on that without which nothing that a body says will be done, by the table of rights
// (requests/need.h); nothing: what is asked has no body.
std::optional<access::Right> RightBeforeBody(const std::optional<DataRoute>& route,
                                             std::string_view method);

}  // namespace wharf
