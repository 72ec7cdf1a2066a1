#include "broker/emulator/config_json.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "broker/core/entities/names.h"
#include "broker/emulator/json_node.h"
#include "broker/emulator/object_reader.h"
#include "broker/emulator/rule_reader.h"

namespace wharf::emulator {
namespace {

// A file that somebody writes meanwhile (<(...) of a shell) is waited for.
Result<std::string> TextOf(const std::string& file) {
  const auto failed = [&file](std::string_view why) {
    return Status(ErrorCode::kGeneralError,
                  fmt::format("cannot read {}: {}", absl::CHexEscape(file), why));
  };
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed(std::strerror(errno));
  std::string text(kConfigJsonBytesMax + 1, '\0');
  std::size_t size = 0;
  ssize_t count = 1;
  while (size < text.size() && count > 0) {
    count = read(descriptor, text.data() + size, text.size() - size);
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  const int error = errno;
  close(descriptor);
  if (count < 0) return failed(std::strerror(error));
  if (size > kConfigJsonBytesMax) return failed("it has more than 16 MiB");
  text.resize(size);
  return text;
}

// Reads the whole file into a list of entities.
class ConfigReader {
 public:
  ConfigReader(Wanted& wanted, Findings& findings) : wanted_(wanted), findings_(findings) {}

  void Read(const JsonNode& root) {
    const ObjectReader file(root, "", {"UserConfig"}, findings_);
    if (root.kind != JsonNode::Kind::kObject) return;
    if (file.Find("UserConfig") == nullptr) {
      return findings_.Add({"UserConfig", root.line}, "is missing");
    }
    const ObjectReader user = file.Inside("UserConfig", {"Namespaces", "Logging"});
    CheckLogging(user);
    const std::vector<JsonNode>& namespaces = user.Array("Namespaces");
    if (namespaces.size() > 1) {
      return findings_.Add({user.PathOf("Namespaces", 1), namespaces[1].line},
                           "is one too many: wharfd is one namespace");
    }
    if (!namespaces.empty()) ReadNamespace(namespaces[0], user.PathOf("Namespaces", 0));
  }

 private:
  // Wharf's own log goes to stderr (log-level, log-format), whatever it says.
  void CheckLogging(const ObjectReader& user) {
    const ObjectReader logging = user.Inside("Logging", {"Type"});
    logging.Text("Type");
  }

  void ReadNamespace(const JsonNode& node, const std::string& path) {
    const ObjectReader space(node, path, {"Name", "Queues", "Topics"}, findings_);
    space.Text("Name");
    std::size_t place = 0;
    for (const JsonNode& queue : space.Array("Queues")) {
      ReadQueue(queue, space.PathOf("Queues", place++));
    }
    place = 0;
    for (const JsonNode& topic : space.Array("Topics")) {
      ReadTopic(topic, space.PathOf("Topics", place++));
    }
  }

  void ReadQueue(const JsonNode& node, const std::string& path) {
    const ObjectReader queue(node, path, {"Name", "Properties"}, findings_);
    if (auto name = NameOf(queue)) {
      Put(ReadEntity(EntityKind::kQueue, *std::move(name), queue), queue);
    }
  }

  void ReadTopic(const JsonNode& node, const std::string& path) {
    const ObjectReader topic(node, path, {"Name", "Properties", "Subscriptions"}, findings_);
    const auto name = NameOf(topic);
    if (!name) return;
    Put(ReadEntity(EntityKind::kTopic, *name, topic), topic);
    std::size_t place = 0;
    for (const JsonNode& subscription : topic.Array("Subscriptions")) {
      ReadSubscription(*name, subscription, topic.PathOf("Subscriptions", place++));
    }
  }

  void ReadSubscription(const std::string& topic, const JsonNode& node, const std::string& path) {
    const ObjectReader subscription(node, path, {"Name", "Properties", "Rules"}, findings_);
    const auto name = NameOf(subscription);
    if (!name) return;
    WantedEntity wanted =
        ReadEntity(EntityKind::kSubscription, SubscriptionPath(topic, *name), subscription);
    std::size_t place = 0;
    for (const JsonNode& rule : subscription.Array("Rules")) {
      ReadRuleOf(wanted, rule, subscription.PathOf("Rules", place++));
    }
    Put(std::move(wanted), subscription);
  }

  void ReadRuleOf(WantedEntity& subscription, const JsonNode& node, const std::string& path) {
    std::optional<WantedRule> rule = ReadRule(node, path, findings_);
    if (!rule) return;
    const auto [before, is_new] = rule_places_.emplace(
        std::pair(FoldPath(subscription.description.name), FoldPath(rule->rule.name)), path);
    if (!is_new) {
      return findings_.Add(rule->where, fmt::format("has the name of {}", before->second));
    }
    subscription.rules.push_back(*std::move(rule));
  }

  std::optional<std::string> NameOf(const ObjectReader& entity) {
    auto name = entity.Text("Name");
    if (!name && entity.Find("Name") == nullptr) findings_.Add(entity.where(), "has no Name");
    return name;
  }

  WantedEntity ReadEntity(EntityKind kind, std::string name, const ObjectReader& entity) {
    WantedEntity wanted;
    wanted.kind = kind;
    wanted.description.name = std::move(name);
    wanted.where = entity.where();
    const ObjectReader properties = entity.Inside("Properties", PropertyNames(kind));
    for (const JsonNode& member : properties.members()) {
      const Property* const property = FindProperty(kind, member.name);
      if (property == nullptr || member.kind == JsonNode::Kind::kNull) continue;
      const Status wrong = ReadProperty(*property, member, wanted.description);
      if (!wrong.ok()) findings_.Add(properties.At(member), wrong.message());
      wanted.said.emplace_back(property, properties.At(member));
    }
    return wanted;
  }

  // If nothing is there by its name, whatever its case, and it fits together.
  void Put(WantedEntity wanted, const ObjectReader& entity) {
    const Status wrong = CheckDescription(wanted.kind, wanted.description);
    if (!wrong.ok()) return findings_.Add(entity.where(), "cannot be so: " + wrong.message());
    const auto [before, is_new] =
        places_.emplace(FoldPath(wanted.description.name), wanted.where.path);
    if (!is_new) {
      return findings_.Add(entity.where(), fmt::format("has the name of {}", before->second));
    }
    wanted_.entities.push_back(std::move(wanted));
  }

  Wanted& wanted_;
  Findings& findings_;
  // Of each entity, by its folded path.
  std::map<std::string, std::string> places_;
  // Of each rule, by the folded path of its subscription and its folded name.
  std::map<std::pair<std::string, std::string>, std::string> rule_places_;
};

}  // namespace

Wanted WantedOf(const std::string& file, std::string_view text, config::Complaints& complaints) {
  Wanted wanted{.file = file, .entities = {}};
  const Result<JsonNode> root = ParseJsonNode(text);
  if (!root.ok()) {
    complaints.Add(fmt::format("{}: {}", absl::CHexEscape(file), root.status().message()));
    return wanted;
  }
  Findings findings(file, complaints);
  ConfigReader(wanted, findings).Read(*root);
  return wanted;
}

Wanted ReadConfigJson(const std::string& file, config::Complaints& complaints) {
  const Result<std::string> text = TextOf(file);
  if (text.ok()) return WantedOf(file, *text, complaints);
  complaints.Add(text.status().message());
  return {};
}

}  // namespace wharf::emulator
