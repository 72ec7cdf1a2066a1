// Connection: to which broker, and with which proof, a command goes: by what was said to it.
//
// Who asks, and where: --connection-string over --context over WHARF_ADDRESS over the context in
// use over the default. Where alone: --address over all of these, so that the holder of a
// connection string can go by a socket of the machine, or to one node of several. Used by Program,
// on the main thread, before anything is connected.
#pragma once

#include <string>

#include "broker/access/connection_string.h"
#include "storage/base/status.h"
#include "tools/wharf/tls_options.h"

namespace wharf::tool {

// What was said; empty: nothing.
struct GivenConnection {
  // A connection string, "@FILE" that has one, or "-": the standard input has it.
  std::string connection_string{};
  // It stands in the command line itself, where others see it.
  bool is_in_clear = false;
  std::string context{};
  std::string address{};
  // As an option, not as a variable.
  bool is_address_said = false;
};

// Reads the text that a connection string is given as.
Result<access::ConnectionString> ReadConnectionString(const std::string& given);

struct ChosenConnection {
  // Without any proof only the endpoint is there.
  access::ConnectionString connection{};
  // What a context says; options go before it.
  TlsOptions tls{};
};

// What the command goes with.
Result<ChosenConnection> ChooseConnection(const GivenConnection& given);

// Whether it says UseDevelopmentEmulator=true, which speaks for the addresses that stand in it and
// for no other.
bool LetsGoInClear(const access::ConnectionString& connection, const std::string& address);

// Whether TLS is spoken though nobody asked for it: what proves something leaves this machine, and
// may not do so in clear.
bool NeedsTls(const access::ConnectionString& connection, const std::string& address);

// "host:port" of it; several, as "sb://n1:5680,n2:5680/" has them, with commas between them.
std::string AddressOf(const access::ConnectionString& connection);

}  // namespace wharf::tool
