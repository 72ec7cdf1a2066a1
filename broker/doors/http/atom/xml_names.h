// The namespaces of Service Bus's management over HTTP, whose documents are entries and feeds of
// Atom. Constants.
#pragma once

#include <string_view>

namespace wharf::atom {

inline constexpr std::string_view kAtomSpace = "http://www.w3.org/2005/Atom";
inline constexpr std::string_view kServiceBusSpace =
    "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
inline constexpr std::string_view kCountsSpace =
    "http://schemas.microsoft.com/netservices/2011/06/servicebus";
inline constexpr std::string_view kInstanceSpace = "http://www.w3.org/2001/XMLSchema-instance";
inline constexpr std::string_view kSchemaSpace = "http://www.w3.org/2001/XMLSchema";
inline constexpr std::string_view kSerializationSpace =
    "http://schemas.microsoft.com/2003/10/Serialization/";

}  // namespace wharf::atom
