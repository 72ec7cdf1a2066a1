#include "broker/config/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include "broker/config/toml_depth.h"

namespace wharf::config {
namespace {

constexpr std::size_t kFileBytesMax = 1 << 20;
// Of the names in a line (toml_depth.h); no key has as many.
constexpr std::size_t kPointsOfALineMax = 64;
// Of a name that is none, in a complaint.
constexpr std::size_t kNameBytesMax = 80;

Status Unreadable(const std::string& path, const std::string& why) {
  return {ErrorCode::kArgumentError, fmt::format("cannot read {}: {}", path, why)};
}

Result<std::string> ReadDescriptor(int descriptor, const std::string& path) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return Unreadable(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return Unreadable(path, "it is not a file");
  std::string text(kFileBytesMax + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(descriptor, text.data() + size, text.size() - size);
    if (count < 0) return Unreadable(path, std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kFileBytesMax) return Unreadable(path, "it is larger than 1 MiB");
  text.resize(size);
  return text;
}

// Of texts, for no key takes others.
Value ValueOfArray(const toml::array& array) {
  std::vector<std::string> texts;
  for (const toml::node& node : array) {
    const auto* const text = node.as_string();
    if (text == nullptr) return Unfit{"an array with something else than text"};
    texts.push_back(text->get());
  }
  return texts;
}

Value ValueOfNode(const toml::node& node) {
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const number = node.as_integer()) return number->get();
  if (const auto* const truth = node.as_boolean()) return truth->get();
  if (const auto* const array = node.as_array()) return ValueOfArray(*array);
  if (node.is_table()) return Unfit{"a table"};
  if (node.is_floating_point()) return Unfit{"a number with a point"};
  return Unfit{"a date or a time"};
}

// One walk through a file.
class Walk {
 public:
  Walk(const std::string& path, Complaints& complaints) : path_(path), complaints_(complaints) {}

  void Visit(const std::string& prefix, const toml::table& table) {
    for (const auto& [name, node] : table) VisitNode(prefix + std::string(name.str()), name, node);
  }

  // In the order of the file.
  std::vector<Entry> Finish() {
    std::stable_sort(strangers_.begin(), strangers_.end());
    for (const auto& [line, name] : strangers_) Complain(line, name);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Entry> entries;
    for (auto& [line, entry] : found_) entries.push_back(std::move(entry));
    return entries;
  }

 private:
  using Line = toml::source_index;

  std::string PlaceOfLine(Line line) const { return fmt::format("{}:{}", path_, line); }

  std::vector<std::string> SubjectsOfTexts(const std::string& full_name,
                                           const toml::node& node) const {
    std::vector<std::string> subjects;
    if (const auto* const array = node.as_array()) {
      for (const toml::node& text : *array) {
        subjects.push_back(PlaceOfLine(text.source().begin.line) + ": " + full_name);
      }
    }
    return subjects;
  }

  void VisitNode(const std::string& full_name, const toml::key& name, const toml::node& node) {
    const Line line = name.source().begin.line;
    const Key* const key = FindKey(full_name);
    if (key != nullptr) {
      const std::string place = PlaceOfLine(line);
      found_.push_back({line,
                        {key, ValueOfNode(node), place, place + ": " + full_name,
                         SubjectsOfTexts(full_name, node)}});
      return;
    }
    const toml::table* const below = node.as_table();
    if (below == nullptr || below->empty()) {
      strangers_.emplace_back(line, full_name);
    } else {
      Visit(full_name + '.', *below);
    }
  }

  void Complain(Line line, const std::string& name) {
    const std::string shown = absl::CHexEscape(name.substr(0, kNameBytesMax));
    const auto near = NearestKey(name);
    complaints_.Add(fmt::format("{}: there is no key '{}'; {}", PlaceOfLine(line), shown,
                                near ? fmt::format("did you mean '{}'?", *near)
                                     : "`wharfd config print` lists what there is"));
  }

  const std::string& path_;
  Complaints& complaints_;
  std::vector<std::pair<Line, Entry>> found_;
  std::vector<std::pair<Line, std::string>> strangers_;
};

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  // What is no file must not hold us up.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Unreadable(path, std::strerror(errno));
  Result<std::string> text = ReadDescriptor(descriptor, path);
  close(descriptor);
  return text;
}

std::vector<Entry> EntriesOfFile(std::string_view text, const std::string& path,
                                 Complaints& complaints) {
  if (const std::size_t line = FindDeepLine(text, kPointsOfALineMax); line > 0) {
    complaints.Add(
        fmt::format("{}:{}: there are too many points in the names of this line", path, line));
    return {};
  }
  try {
    const toml::table table = toml::parse(text);
    Walk walk(path, complaints);
    walk.Visit("", table);
    return walk.Finish();
  } catch (const toml::parse_error& error) {
    complaints.Add(fmt::format("{}:{}: this is no TOML: {}", path, error.source().begin.line,
                               absl::CHexEscape(std::string(error.description()))));
    return {};
  }
}

}  // namespace wharf::config
