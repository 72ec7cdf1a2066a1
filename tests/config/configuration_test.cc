#include "broker/config/configuration.h"

#include <fstream>
#include <string>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/temp_folder.h"

namespace wharf::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A number that a place says of max-entities.
Entry Said(std::int64_t number, const std::string& where) {
  return {FindKey("max-entities"), number, where, where};
}

class ConfigurationTest : public ::testing::Test {
 protected:
  void WriteFile(const std::string& text) { std::ofstream(path_) << text; }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/wharfd.toml";
};

TEST_F(ConfigurationTest, AFlagGoesBeforeAVariableAndAVariableBeforeTheFile) {
  WriteFile("\nmax-entities = 1\n");
  Sources sources;
  const auto in_force = [&sources] {
    const Configuration configuration = ReadConfiguration(sources).configuration;
    return fmt::format("{} of {}", configuration.settings.limits.broker.entities_max,
                       configuration.OriginOf(*FindKey("max-entities")));
  };

  EXPECT_EQ(in_force(), "10000 of ");
  sources.file = path_;
  EXPECT_EQ(in_force(), fmt::format("1 of {}:2", path_));
  sources.variables = {Said(2, "a variable")};
  EXPECT_EQ(in_force(), "2 of a variable");
  sources.flags = {Said(3, "a flag")};
  EXPECT_EQ(in_force(), "3 of a flag");
  sources.variables.clear();
  EXPECT_EQ(in_force(), "3 of a flag");
}

TEST_F(ConfigurationTest, WhatIsOverriddenMustBeGoodToo) {
  WriteFile("max-entities = 0\n");

  const Reading reading = ReadConfiguration(
      {.file = path_, .variables = {Said(-1, "a variable")}, .flags = {Said(3, "a flag")}});

  EXPECT_THAT(
      reading.complaints.Lines(),
      ElementsAre(fmt::format("{}:1: max-entities takes a number from 1 to 1000000, not 0", path_),
                  "a variable takes a number from 1 to 1000000, not -1"));
}

TEST_F(ConfigurationTest, AFileThatIsNotThereIsToldOnce) {
  Reading reading = ReadConfiguration({.file = path_, .variables = {}, .flags = {}});

  ComplainOfMissing(reading);

  EXPECT_THAT(reading.complaints.Lines(),
              ElementsAre(fmt::format("cannot read {}: No such file or directory", path_)));
}

TEST_F(ConfigurationTest, WhoDidNotProveWhoHeIsComesFromThisMachineAndThisUser) {
  const auto complaints = [&](const std::string& listen) {
    WriteFile("\nlisten = " + listen + "\n");
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  EXPECT_THAT(complaints("['127.0.0.2:1', '[::1]:1', 'unix:/a', 'unix:/b?mode=0600']"), IsEmpty());
  EXPECT_THAT(complaints("['127.0.0.1:1', '0.0.0.0:1']"),
              ElementsAre(path_ + ":2: 0.0.0.0:1: beyond this machine wharfd listens with "
                                  "grpc+tls:// and access = \"on\" only"));
  EXPECT_THAT(complaints("'unix:/a?mode=0660'"),
              ElementsAre(path_ + ":2: unix:/a?mode=0660: a socket that others can use needs "
                                  "access = \"on\""));
}

TEST_F(ConfigurationTest, WhoProvesWhoHeIsMayComeFromElsewhere) {
  const std::string files = "\ntls-cert = '/c'\ntls-key = '/k'\n";
  const auto complaints = [&](const std::string& listen, const std::string& rest) {
    const bool has_tls = listen.find("+tls") != std::string::npos;
    WriteFile("listen = ['" + listen + "']" + (has_tls ? files : "\n") + rest);
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  const std::string on = "access = 'on'\n";
  const std::string authority = "tls-client-ca = '/a'\n";
  const std::string operations = "operations+tls://0.0.0.0:1";
  EXPECT_THAT(complaints("grpc+tls://0.0.0.0:1", on), IsEmpty());
  EXPECT_THAT(complaints("unix:/a?mode=0660", on), IsEmpty());
  EXPECT_THAT(complaints("grpc+tls://0.0.0.0:1", ""), SizeIs(1));
  EXPECT_THAT(complaints("grpc+tls://0.0.0.0:1", "access = 'auto'\n"), SizeIs(1));
  EXPECT_THAT(complaints("0.0.0.0:1", on), SizeIs(1));
  EXPECT_THAT(complaints("127.0.0.1:1', 'amqp+tls://0.0.0.0:1", on), IsEmpty());
  EXPECT_THAT(complaints("127.0.0.1:1', 'amqp://0.0.0.0:1", on),
              ElementsAre(HasSubstr("amqp+tls:// and access = \"on\" only")));
  // What operators see needs a certificate or access.
  const auto with_grpc = [&](const std::string& rest) {
    return complaints("127.0.0.1:1', '" + operations, rest);
  };
  EXPECT_THAT(with_grpc(on), IsEmpty());
  EXPECT_THAT(with_grpc(authority), IsEmpty());
  EXPECT_THAT(with_grpc(authority + "tls-client-cert = 'optional'\n"), SizeIs(1));
  EXPECT_THAT(
      with_grpc(""),
      ElementsAre(HasSubstr(
          "operations that others can reach need TLS, and access = \"on\" or tls-client-ca")));
  EXPECT_THAT(complaints("127.0.0.1:1', 'operations://0.0.0.0:1", on + authority), SizeIs(1));
  EXPECT_THAT(complaints("127.0.0.1:1', 'operations://unix:/b?mode=0660", authority), SizeIs(1));
  EXPECT_THAT(complaints("127.0.0.1:1', 'operations://unix:/b?mode=0660", on), IsEmpty());
}

TEST_F(ConfigurationTest, WhoSaysInsecureMayDoWithoutAndIsToldWhat) {
  const auto settings = [&](const std::string& text) {
    WriteFile("insecure = true\n" + text);
    const Reading reading = ReadConfiguration({.file = path_, .variables = {}, .flags = {}});
    EXPECT_THAT(reading.complaints.Lines(), IsEmpty()) << text;
    return reading.configuration.settings;
  };
  EXPECT_THAT(
      InsecureListeners(settings("listen = ['0.0.0.0:1', '127.0.0.1:1', 'unix:/a?mode=0666',"
                                 " 'operations://[::]:1']\n")),
      ElementsAre("0.0.0.0:1 without TLS and access = \"on\"",
                  "unix:/a?mode=0666 without access = \"on\"",
                  "operations://[::]:1 without TLS and access = \"on\""));
  EXPECT_THAT(InsecureListeners(settings("access = 'on'\nlisten = ['0.0.0.0:1']\n")),
              ElementsAre("0.0.0.0:1 without TLS"));
  EXPECT_THAT(InsecureListeners(settings("")), IsEmpty());

  WriteFile("insecure = true\nlisten = 'grpc+tls://0.0.0.0:1'\n");
  EXPECT_THAT(ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines(),
              ElementsAre(HasSubstr("TLS needs tls-cert and tls-key")));
}

TEST_F(ConfigurationTest, ACertificateThatNobodyIsAskedForIsNotRequired) {
  const auto complaints = [&](const std::string& text) {
    WriteFile(text);
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  EXPECT_THAT(complaints("\ntls-client-cert = 'required'\n"),
              ElementsAre(path_ + ":2: tls-client-cert is required, but no client is asked for one "
                                  "without tls-client-ca"));
  EXPECT_THAT(complaints("tls-client-cert = 'required'\ntls-client-ca = '/a'\n"
                         "listen = 'grpc+tls://127.0.0.1:1'\ntls-cert = '/c'\ntls-key = '/k'\n"),
              IsEmpty());
  EXPECT_THAT(complaints("tls-client-cert = 'optional'\n"), IsEmpty());
  EXPECT_THAT(complaints(""), IsEmpty());
}

TEST_F(ConfigurationTest, FilesOfTlsWithoutAListenerOfItAreAMistake) {
  const auto complaints = [&](const std::string& text) {
    WriteFile(text);
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  const std::string files = "tls-cert = '/c'\ntls-key = '/k'\ntls-client-ca = '/a'\n";
  EXPECT_THAT(complaints(files),
              ElementsAre(path_ + ":1: tls-cert is used by no listener: none has +tls",
                          path_ + ":2: tls-key is used by no listener: none has +tls",
                          path_ + ":3: tls-client-ca is used by no listener: none has +tls"));
  EXPECT_THAT(complaints(files + "listen = ['127.0.0.1:1', 'amqp+tls://127.0.0.1:2']\n"),
              IsEmpty());
  EXPECT_THAT(complaints(files + "listen = ['amqp+tls://127.0.0.1:x']\n"), SizeIs(1));
  EXPECT_THAT(complaints("tls-cert = ''\n"), IsEmpty());
}

TEST_F(ConfigurationTest, AnAuthorityThatIsAskedOfNobodyIsAMistake) {
  const auto complaints = [&](const std::string& text) {
    WriteFile(text);
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  EXPECT_THAT(complaints("trace-otlp-ca = '/a'\n"),
              ElementsAre(path_ + ":1: trace-otlp-ca is asked of nobody, unless "
                                  "trace-otlp-endpoint begins with https://"));
  EXPECT_EQ(complaints("trace-otlp-ca = '/a'\ntrace-otlp-endpoint = 'http://a:1'\n").size(), 1U);
  EXPECT_THAT(complaints("trace-otlp-ca = '/a'\ntrace-otlp-endpoint = 'https://a:1'\n"), IsEmpty());
}

TEST_F(ConfigurationTest, TheEmulatorListensWhereItsClientsLookForIt) {
  WriteFile("emulator = true\n");
  EXPECT_THAT(
      ReadConfiguration({.file = path_, .variables = {}, .flags = {}})
          .configuration.settings.listen,
      ElementsAre("127.0.0.1:5680", "amqp://127.0.0.1:5672", "servicebus://127.0.0.1:5300"));

  WriteFile("emulator = true\nlisten = \"127.0.0.1:1\"\n");
  EXPECT_THAT(ReadConfiguration({.file = path_, .variables = {}, .flags = {}})
                  .configuration.settings.listen,
              ElementsAre("127.0.0.1:1"));
}

TEST_F(ConfigurationTest, WhatDoesNotGoWithTheEmulatorIsToldByItsPlace) {
  const auto complaints = [this](const std::string& text) {
    WriteFile(text);
    return ReadConfiguration({.file = path_, .variables = {}, .flags = {}}).complaints.Lines();
  };
  const auto at = [this](int line, std::string_view why) {
    return fmt::format("{}:{}: {}", path_, line, why);
  };

  EXPECT_THAT(complaints("emulator = \"c.json\"\naccess = \"on\"\nnode = \"a\"\n"),
              ElementsAre(at(2, "the emulator takes any key, so access cannot be on"),
                          at(3, "the emulator runs by itself, and is no node")));
  EXPECT_THAT(complaints("ephemeral = true\n"),
              ElementsAre(at(1, "only the emulator can be ephemeral")));
  EXPECT_THAT(complaints("emulator = true\nephemeral = true\ndata = \"d\"\n"),
              ElementsAre(at(3,
                             "data names a folder that stays, and ephemeral wants one that "
                             "goes")));
  EXPECT_THAT(complaints("emulator = true\nlisten = [\"127.0.0.1:0\", \"amqp://0.0.0.0:0\"]\n"),
              ElementsAre(HasSubstr("beyond this machine")));
  EXPECT_THAT(complaints("emulator = \"\"\n"),
              ElementsAre(at(1, "emulator takes off, on, or the name of a file, not \"\"")));
}

TEST_F(ConfigurationTest, AFolderOfTheProcessNeedsNoName) {
  WriteFile("emulator = true\n");
  Reading stays = ReadConfiguration({.file = path_, .variables = {}, .flags = {}});
  ComplainOfMissing(stays);
  EXPECT_THAT(stays.complaints.Lines(), ElementsAre(HasSubstr("; or --ephemeral, which")));

  WriteFile("emulator = true\nephemeral = true\n");
  Reading reading = ReadConfiguration({.file = path_, .variables = {}, .flags = {}});
  ComplainOfMissing(reading);
  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());

  // As main.cc says the one that it made.
  const Entry made{FindKey("data"), "/tmp/x", "--ephemeral", "--ephemeral"};
  reading = ReadConfiguration({.file = path_, .variables = {}, .flags = {made}});
  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  EXPECT_EQ(reading.configuration.settings.data, "/tmp/x");
}

TEST_F(ConfigurationTest, TheDataFolderMustBeSaid) {
  Reading reading = ReadConfiguration({});
  ComplainOfMissing(reading);
  EXPECT_THAT(reading.complaints.Lines(),
              ElementsAre("--data is required, or WHARFD_DATA, or data in the file of --config"));

  WriteFile("data = \"\"\n");
  reading = ReadConfiguration({.file = path_, .variables = {}, .flags = {}});
  ComplainOfMissing(reading);
  EXPECT_THAT(reading.complaints.Lines(),
              ElementsAre(path_ + ":1: data takes the name of a folder, not \"\""));
}

}  // namespace
}  // namespace wharf::config
