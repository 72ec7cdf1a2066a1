#include "tools/wharf/access/contexts.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameMax = 50;

Status Bad(std::string why) { return {ErrorCode::kArgumentError, std::move(why)}; }

// Empty: there is no place for it.
std::string PathOfFile() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != 0)
    return (fs::path(config) / "wharf" / "contexts.json").string();
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == 0) return {};
  return (fs::path(home) / ".config" / "wharf" / "contexts.json").string();
}

Status CheckMode(const std::string& path, const struct stat& facts) {
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) == 0 && facts.st_uid == geteuid()) return {};
  return Bad(fmt::format("{} has secrets and must be yours and nobody else's to read: chmod 600 it",
                         path));
}

Status CheckName(const std::string& name) {
  const auto is_allowed = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  };
  const bool is_name =
      !name.empty() && name.size() <= kNameMax && std::all_of(name.begin(), name.end(), is_allowed);
  return is_name ? Status()
                 : Bad("a context is called by 1 to 50 letters, digits, '.', '-' and '_'");
}

Status NoContext(const std::string& name) {
  return Bad(fmt::format("there is no context \"{}\"; wharf context list shows them", name));
}

// Null, if it cannot be had: then nothing can be written there either, which Save tells.
std::shared_ptr<const void> LockBeside(const std::string& path) {
  if (path.empty()) return nullptr;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const int file = open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || flock(file, LOCK_EX) != 0) {
    if (file >= 0) close(file);
    return nullptr;
  }
  return {static_cast<const void*>(nullptr), [file](const void*) { close(file); }};
}

// One without TLS is a text, as all were before there was anything else to keep.
Json ToJson(const Context& context) {
  if (!context.tls.has_tls()) return context.connection_string;
  Json json = {{"connection_string", context.connection_string}, {"tls", true}};
  const auto add = [&json](const char* field, const std::string& text) {
    if (!text.empty()) json[field] = text;
  };
  add("ca", context.tls.authority);
  add("cert", context.tls.certificate);
  add("key", context.tls.key);
  add("server_name", context.tls.server_name);
  return json;
}

// Nothing, if it is none.
std::optional<Context> ContextOf(const Json& json) {
  if (json.is_string()) return Context{json.get<std::string>()};
  if (!json.is_object() || json.value("tls", Json()) != true) return std::nullopt;
  Context context;
  context.tls.is_wanted = true;
  const auto take = [&json](const char* field, std::string& text) {
    if (!json.contains(field)) return true;
    if (!json[field].is_string()) return false;
    text = json[field].get<std::string>();
    return true;
  };
  const bool is_whole = take("connection_string", context.connection_string) &&
                        take("ca", context.tls.authority) &&
                        take("cert", context.tls.certificate) && take("key", context.tls.key) &&
                        take("server_name", context.tls.server_name);
  return is_whole ? std::optional(std::move(context)) : std::nullopt;
}

}  // namespace

Result<Contexts> Contexts::LoadToChange() {
  std::shared_ptr<const void> lock = LockBeside(PathOfFile());
  Result<Contexts> contexts = Load();
  if (contexts.ok()) contexts->lock_ = std::move(lock);
  return contexts;
}

Result<Contexts> Contexts::Load() {
  Contexts contexts;
  contexts.path_ = PathOfFile();
  const std::string& path = contexts.path_;
  struct stat facts {};
  if (path.empty() || stat(path.c_str(), &facts) != 0) return contexts;
  WHARF_RETURN_IF_ERROR(CheckMode(path, facts));
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool is_whole = json.is_object() && json.contains("contexts") &&
                        json["contexts"].is_object() && json.contains("current") &&
                        json["current"].is_string();
  const Status damaged = Bad(fmt::format("{} is damaged: mend it or remove it", path));
  if (!is_whole) return damaged;
  for (const auto& [name, value] : json["contexts"].items()) {
    std::optional<Context> context = ContextOf(value);
    if (!context) return damaged;
    contexts.all_[name] = *std::move(context);
  }
  contexts.current_ = json["current"].get<std::string>();
  return contexts;
}

Status Contexts::Save() const {
  if (path_.empty()) return Bad("there is no place for contexts: HOME is not set");
  Json json = {{"current", current_}, {"contexts", Json::object()}};
  for (const auto& [name, context] : all_) json["contexts"][name] = ToJson(context);
  const std::string fresh = path_ + ".new";
  std::remove(fresh.c_str());
  const std::string line = ToLine(json) + "\n";
  const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool is_written =
      file >= 0 && fchmod(file, S_IRUSR | S_IWUSR) == 0 &&
      write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
      fsync(file) == 0;
  if (file >= 0) close(file);
  if (is_written && std::rename(fresh.c_str(), path_.c_str()) == 0) return {};
  return {ErrorCode::kGeneralError,
          fmt::format("{} cannot be written: {}", path_, std::strerror(errno))};
}

Result<Context> Contexts::Find(const std::string& name) const {
  const auto found = all_.find(name);
  if (found == all_.end()) return NoContext(name);
  return found->second;
}

Status Contexts::Add(const std::string& name, Context context) {
  WHARF_RETURN_IF_ERROR(CheckName(name));
  all_[name] = std::move(context);
  if (current_.empty()) current_ = name;
  return {};
}

Status Contexts::Use(const std::string& name) {
  if (!all_.contains(name)) return NoContext(name);
  current_ = name;
  return {};
}

Status Contexts::Remove(const std::string& name) {
  if (all_.erase(name) == 0) return NoContext(name);
  if (current_ == name) current_.clear();
  return {};
}

}  // namespace wharf::tool
