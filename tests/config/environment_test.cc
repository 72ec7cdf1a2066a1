#include "broker/config/environment.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/config/configuration.h"

namespace wharf::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Reading ReadVariables(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  Reading reading;
  Apply(EntriesOfEnvironment(variables.data()), reading);
  return reading;
}

std::vector<std::string> Strange(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return StrangeVariables(variables.data());
}

TEST(EnvironmentTest, EveryKeyIsAVariable) {
  for (const Key& key : Keys()) {
    const std::string variable = VariableOf(key) + "=\x01";
    const std::vector<const char*> variables = {variable.c_str(), nullptr};

    const std::vector<Entry> entries = EntriesOfEnvironment(variables.data());

    ASSERT_THAT(entries, SizeIs(1)) << key.name;
    EXPECT_EQ(entries[0].key, &key);
    EXPECT_EQ(entries[0].origin, VariableOf(key));
  }
}

TEST(EnvironmentTest, OthersAreNotOurs) {
  const Reading reading = ReadVariables({"HOME=/root", "WHARFD=/usr/bin/wharfd", "LISTEN=x",
                                         "WHARFD_LISTEN", "WHARFD_CONFIG=/etc/wharfd.toml"});

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  EXPECT_THAT(reading.configuration.origins, ::testing::Each(""));
}

TEST(EnvironmentTest, ABadValueIsToldByTheNameOfTheVariable) {
  EXPECT_THAT(ReadVariables({"WHARFD_MAX_ENTITIES=0", "WHARFD_CLOCK=", "WHARFD_LISTEN=a=b"})
                  .complaints.Lines(),
              ElementsAre("WHARFD_MAX_ENTITIES takes a number from 1 to 1000000, not 0",
                          "WHARFD_CLOCK takes system or manual, not \"\"",
                          "WHARFD_LISTEN takes ADDRESS:PORT, for example 127.0.0.1:5680; "
                          "the port is missing, not \"a=b\""));
}

TEST(EnvironmentTest, ANameThatOnlySeemsOursIsToldWithTheNearest) {
  EXPECT_THAT(Strange({"WHARFD_LOG_LEVL=info", "WHARFD_SERVICE_HOST=10.0.0.1", "WHARFD=x",
                       "WHARFD_CONFIG=x", "WHARFD_DATA=x"}),
              ElementsAre("the variable WHARFD_LOG_LEVL means nothing to wharfd; "
                          "did you mean WHARFD_LOG_LEVEL?",
                          "the variable WHARFD_SERVICE_HOST means nothing to wharfd"));
  EXPECT_THAT(Strange(std::vector<const char*>(1000, "WHARFD_X=1")), SizeIs(10));
}

}  // namespace
}  // namespace wharf::config
