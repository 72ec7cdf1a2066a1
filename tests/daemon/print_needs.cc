// print_needs: the table of rights, a line for each request: its name, what the right is needed on,
// and the right, or "-". For tests that ask everything as everybody.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

#include <cxxabi.h>

#include "broker/requests/need.h"

namespace wharf {
namespace {

const char* NameOf(On on) {
  switch (on) {
    case On::kEntity:
      return "entity";
    case On::kNamespace:
      return "namespace";
    case On::kOwn:
      return "own";
    case On::kParts:
      return "parts";
    case On::kNothing:
      return "nothing";
  }
  return "";
}

template <typename Request>
std::string NameOfRequest() {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(Request).name(), nullptr, nullptr, nullptr), std::free);
  const std::string full(name.get());
  return full.substr(full.rfind(':') + 1);
}

template <typename Request>
void Print() {
  constexpr Need kNeeded = kNeed<Request>;
  const std::string right(kNeeded.right ? access::NameOf(*kNeeded.right) : "-");
  std::printf("%s %s %s\n", NameOfRequest<Request>().c_str(), NameOf(kNeeded.on), right.c_str());
}

template <typename... Request>
void PrintAll(TypeList<Request...>) {
  (Print<Request>(), ...);
}

}  // namespace
}  // namespace wharf

int main() {
  wharf::PrintAll(wharf::RequestList());
  wharf::PrintAll(wharf::TypeList<wharf::AskClock, wharf::MoveClock, wharf::AskStatistics,
                                  wharf::ManageConnections, wharf::AskCluster, wharf::ChangeCluster,
                                  wharf::ManageBackups, wharf::AttachRequest, wharf::ReceiveRequest,
                                  wharf::AcceptSessionRequest, wharf::UploadRequest>());
  return 0;
}
