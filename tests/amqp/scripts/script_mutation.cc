#include "tests/amqp/scripts/script_mutation.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tests/amqp/scripts/value_node.h"

namespace wharf::amqp {
namespace {

using Generator = ScriptMutation::Generator;
using Nodes = std::vector<ValueNode>;

// A value and those beside it.
struct Place {
  Nodes* siblings;
  std::size_t at;

  ValueNode& node() const { return (*siblings)[at]; }
};

void AddPlaces(Nodes& nodes, std::vector<Place>& places) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    places.push_back({&nodes, i});
    AddPlaces(nodes[i].children, places);
  }
}

std::vector<Place> PlacesIn(Nodes& nodes) {
  std::vector<Place> places;
  AddPlaces(nodes, places);
  return places;
}

std::ptrdiff_t Below(std::size_t limit, Generator& random) {
  return static_cast<std::ptrdiff_t>(random() % limit);
}

void ChangeLeaf(ValueNode& node, const ScriptMutation::ChangeBytes& change_bytes,
                Generator& random) {
  const std::size_t size = node.bytes.size();
  if (size == 0) {
    // No bytes follow these: null, true, false, 0 and the empty list.
    if (node.is_fixed()) node.code = static_cast<std::uint8_t>(0x40 + random() % 6);
    return;
  }
  // Numbers of one byte are handles, credits, ids, modes.
  if (node.is_fixed() && random() % 2 == 0) {
    node.bytes.back() = static_cast<char>(random() % 5);
    return;
  }
  change_bytes(node.bytes);
  if (node.is_fixed()) node.bytes.resize(size, '\xff');
}

constexpr std::string_view kTransfer{"\0\x53\x14", 3};

bool IsTransfer(const Said& said) {
  return said.kind == Said::Kind::kFrame && said.body.starts_with(kTransfer);
}

// A delivery of one transfer is one of two then; or its end never comes.
std::vector<Said> Split(const Said& said, Generator& random) {
  constexpr std::size_t kMore = 5;
  Nodes nodes = ReadNodes(said.body);
  const bool has_fields = nodes[0].children.size() == 2 && !nodes[0].children[1].children.empty();
  if (!has_fields) return {said};
  Nodes& fields = nodes[0].children[1].children;
  const Nodes rest(nodes.begin() + 1, nodes.end());
  const std::string payload = Written(rest);
  const std::size_t half = random() % (payload.size() + 1);
  Nodes second = {nodes[0]};
  second[0].children[1].children.resize(1);
  if (fields.size() <= kMore) fields.resize(kMore + 1, {.code = 0x40});
  fields[kMore] = {.code = 0x41};
  nodes.resize(1);
  std::vector<Said> parts = {{said.kind, said.channel, Written(nodes) + payload.substr(0, half)}};
  if (random() % 2 == 0) {
    parts.push_back({said.kind, said.channel, Written(second) + payload.substr(half)});
  }
  return parts;
}

}  // namespace

void ScriptMutation::Change(ClientScript& script, Generator& random) const {
  if (script.said.empty()) {
    script = others_[random() % others_.size()];
    return;
  }
  if (random() % 64 == 0) script.is_of_jms = !script.is_of_jms;
  if (random() % 4 == 0) script.breaks_off = !script.breaks_off;
  for (std::uint64_t times = 1 + random() % 3; times > 0; --times) {
    if (script.said.empty()) return;
    if (random() % 3 == 0) {
      ChangePieces(script.said, random);
    } else {
      ChangePiece(script.said[random() % script.said.size()], random);
    }
  }
}

void ScriptMutation::ChangePieces(std::vector<Said>& said, Generator& random) const {
  const auto at = said.begin() + Below(said.size(), random);
  const auto behind = said.begin() + Below(said.size() + 1, random);
  switch (random() % 7) {
    case 0:
      said.erase(at);
      break;
    case 1:
      said.insert(behind, Said(*at));
      break;
    case 2:
      std::iter_swap(at, said.begin() + Below(said.size(), random));
      break;
    case 3:
      said.insert(behind, {Said::Kind::kHear, 0, {}});
      break;
    case 4:
      said.insert(behind, {Said::Kind::kAdvance, 0, std::to_string(random() % 100)});
      break;
    case 5: {
      const auto transfer = std::find_if(at, said.end(), IsTransfer);
      if (transfer == said.end()) break;
      const std::vector<Said> parts = Split(*transfer, random);
      said.insert(said.erase(transfer), parts.begin(), parts.end());
      break;
    }
    default:
      said.insert(behind, AnyOfOthers(random));
  }
}

const Said& ScriptMutation::AnyOfOthers(Generator& random) const {
  const std::vector<Said>& said = others_[random() % others_.size()].said;
  return said[random() % said.size()];
}

void ScriptMutation::ChangePiece(Said& said, Generator& random) const {
  if (said.body.empty()) return;
  if (random() % 16 == 0) said.channel = static_cast<std::uint16_t>(random() % 3);
  if (random() % 32 == 0) return change_bytes_(said.body);
  Nodes nodes = ReadNodes(said.body);
  const std::vector<Place> places = PlacesIn(nodes);
  const Place place = places[random() % places.size()];
  switch (random() % 8) {
    case 0:
      place.node() = {.code = 0x40};
      break;
    case 1:
      place.siblings->erase(place.siblings->begin() + static_cast<std::ptrdiff_t>(place.at));
      break;
    case 2:
      place.siblings->insert(place.siblings->begin(), ValueNode(place.node()));
      break;
    case 3: {
      Nodes other = ReadNodes(AnyOfOthers(random).body);
      const std::vector<Place> there = PlacesIn(other);
      if (!there.empty()) place.node() = ValueNode(there[random() % there.size()].node());
      break;
    }
    default:
      ChangeLeaf(place.node(), change_bytes_, random);
  }
  said.body = Written(nodes);
}

}  // namespace wharf::amqp
