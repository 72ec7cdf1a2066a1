#include "broker/doors/grpc/services/raw_service.h"

#include <set>
#include <string>

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include "broker/doors/grpc/services/backups_service.h"
#include "broker/doors/grpc/services/clock_service.h"
#include "broker/doors/grpc/services/cluster_service.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/doors/grpc/services/messaging_service.h"
#include "broker/doors/grpc/services/sessions_service.h"
#include "broker/doors/grpc/services/topics_service.h"
#include "broker/doors/grpc/services/transactions_service.h"

namespace wharf {
namespace {

std::set<std::string> MethodsOf(const std::string& name) {
  std::set<std::string> paths;
  const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
  for (int i = 0; service != nullptr && i < service->method_count(); ++i) {
    paths.insert("/" + name + "/" + service->method(i)->name());
  }
  return paths;
}

class RawServiceTest : public ::testing::Test {
 protected:
  void ExpectAll(const std::string& name, const RawService& service) {
    EXPECT_EQ(std::set<std::string>(service.paths().begin(), service.paths().end()),
              MethodsOf(name));
    EXPECT_EQ(service.paths().size(), MethodsOf(name).size());
  }

  CallGate calls_{{ErrorCode::kServiceCommunicationProblem, "closed"}};
  ManualClock clock_{Timestamp()};
  ReadGate reads_{{}, clock_};
  ReadGate answers_{{}, clock_};
  HeldBytes::Total stream_bytes_ = 0;
  const VouchedCallers vouched_{access::SystemKeys()};
  const Gates gates_{calls_, reads_, stream_bytes_, vouched_, answers_};
};

TEST_F(RawServiceTest, EveryMethodOfTheApiIsOffered) {
  ExpectAll("wharf.v1.Backups", BackupsService(gates_));
  ExpectAll("wharf.v1.Clock", ClockService(gates_));
  ExpectAll("wharf.v1.Cluster", ClusterService(gates_));
  ExpectAll("wharf.v1.Management", ManagementService(gates_));
  ExpectAll("wharf.v1.Messaging", MessagingService(gates_));
  ExpectAll("wharf.v1.Sessions", SessionsService(gates_));
  ExpectAll("wharf.v1.Topics", TopicsService(gates_));
  ExpectAll("wharf.v1.Transactions", TransactionsService(gates_));
}

}  // namespace
}  // namespace wharf
