#include "tools/wharf/access/connection.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/wharf/access/contexts.h"
#include "tools/wharf/text/address.h"

namespace wharf::tool {
namespace {

constexpr char kDefaultAddress[] = "127.0.0.1:5680";
constexpr char kDefaultPort[] = "5680";

Result<std::string> ReadAll(std::istream& in, const std::string& name) {
  std::string text;
  char c = 0;
  while (text.size() <= access::kConnectionStringBytesMax && in.get(c)) text.push_back(c);
  if (!text.empty()) return text;
  return Status(ErrorCode::kArgumentError,
                fmt::format("--connection-string: {} cannot be read, or is empty", name));
}

Result<std::string> TextOf(const std::string& given) {
  if (given == "-") return ReadAll(std::cin, "the standard input");
  if (given.empty() || given.front() != '@') return given;
  const std::string file = given.substr(1);
  std::ifstream in(file);
  return ReadAll(in, file);
}

ChosenConnection PlainConnection(const std::string& address) {
  return {.connection = {.endpoint = fmt::format("sb://{}/", address)}};
}

Result<ChosenConnection> With(const Result<access::ConnectionString>& connection,
                              const TlsOptions& tls) {
  if (!connection.ok()) return connection.status();
  return ChosenConnection{*connection, tls};
}

std::string WithPort(const std::string& authority) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  return has_port ? authority : fmt::format("{}:{}", authority, kDefaultPort);
}

}  // namespace

Result<access::ConnectionString> ReadConnectionString(const std::string& given) {
  const Result<std::string> text = TextOf(given);
  if (!text.ok()) return text.status();
  return access::ParseConnectionString(*text);
}

Result<ChosenConnection> ChooseConnection(const GivenConnection& given) {
  if (!given.connection_string.empty()) {
    return With(ReadConnectionString(given.connection_string), {});
  }
  if (given.context.empty() && !given.address.empty()) return PlainConnection(given.address);
  const Result<Contexts> contexts = Contexts::Load();
  if (!contexts.ok()) return contexts.status();
  const std::string& name = given.context.empty() ? contexts->current() : given.context;
  if (name.empty()) return PlainConnection(kDefaultAddress);
  const Result<Context> context = contexts->Find(name);
  if (!context.ok()) return context.status();
  return With(access::ParseConnectionString(context->connection_string), context->tls);
}

bool LetsGoInClear(const access::ConnectionString& connection, const std::string& address) {
  return connection.uses_development_emulator && address == AddressOf(connection);
}

bool NeedsTls(const access::ConnectionString& connection, const std::string& address) {
  if (!connection.has_secret() || LetsGoInClear(connection, address)) return false;
  const std::vector<std::string> all = absl::StrSplit(address, ',');
  return !std::all_of(all.begin(), all.end(), IsLoopback);
}

std::string AddressOf(const access::ConnectionString& connection) {
  std::vector<std::string> all = absl::StrSplit(connection.Authority(), ',');
  for (std::string& each : all) each = WithPort(each);
  return absl::StrJoin(all, ",");
}

}  // namespace wharf::tool
