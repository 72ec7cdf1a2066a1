// amqp_broker_fuzz: what clients of other makes say, and whatever becomes of it, to the door with a
// whole broker behind it (libFuzzer; tools/dev fuzz). It begins with their dialogues, which it
// writes into its corpus.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/amqp/scripts/any_broker_client.h"
#include "tests/amqp/scripts/script_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace wharf::amqp {
namespace {

const std::vector<ClientScript>& AllScripts() {
  static const auto* const kScripts = [] {
    auto* const scripts = new std::vector<ClientScript>;
    for (const auto& path : DialoguesIn(WHARF_DIALOGUES_FOLDER)) {
      scripts->push_back(ReadDialogue(path));
    }
    return scripts;
  }();
  return *kScripts;
}

void ChangeBytes(std::string& bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + 16);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

std::string_view View(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t Store(const ClientScript& script, std::uint8_t* data, std::size_t max_size) {
  const std::string bytes = Encoded(script);
  const std::size_t size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.begin(), size, data);
  return size;
}

}  // namespace
}  // namespace wharf::amqp

using namespace wharf::amqp;  // NOLINT(google-build-using-namespace): what libFuzzer calls is not.

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::filesystem::path corpus = (*arguments)[*count - 1];
  if (!std::filesystem::is_directory(corpus)) return 0;
  for (const auto& path : DialoguesIn(WHARF_DIALOGUES_FOLDER)) {
    std::ofstream(corpus / path.stem(), std::ios::binary) << Encoded(ReadDialogue(path));
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  ScriptMutation::Generator random(seed);
  ClientScript script = Decoded(View(data, size));
  ScriptMutation(AllScripts(), ChangeBytes).Change(script, random);
  return Store(script, data, max_size);
}

// The beginning of one client, and the end of another.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t max_size,
                                                 unsigned int seed) {
  ScriptMutation::Generator random(seed);
  ClientScript script = Decoded(View(one, one_size));
  const ClientScript ending = Decoded(View(other, other_size));
  script.said.resize(random() % (script.said.size() + 1));
  const auto from = static_cast<std::ptrdiff_t>(random() % (ending.said.size() + 1));
  script.said.insert(script.said.end(), ending.said.begin() + from, ending.said.end());
  return Store(script, out, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TryAnyBrokerClient(Decoded(View(data, size)));
  return 0;
}
