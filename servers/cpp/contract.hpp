// The parts of ../CONTRACT.md that all C++ servers share, so that each engine's own file stays small. One process, of role `worker`.
// Nothing here runs per message, except the answers.
#pragma once

#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace contract {

// Exit codes (../CONTRACT.md).
enum Exit { stopped = 0, impossible = 64, unsupported = 69, internal = 70, refused = 71 };

// The same limits for all engines (../CONTRACT.md, Configuration).
constexpr std::size_t message_max_b = 100 << 20;
constexpr std::size_t unsent_max_b = 16 << 20;

// Maps a message to its answer, if any. The answer is the message itself, or stays valid until the next answer is made. A null
// behaviour means `broadcast`: the engine sends each message to all connections.
using Behaviour = std::function<std::optional<std::string_view>(std::string_view message)>;

struct Settings {
  std::string host;
  std::uint16_t port;
  Behaviour behaviour;
};

[[noreturn]] inline void fail(const char* engine, Exit code, const std::string& what, const std::string& next) {
  std::fprintf(stderr, "error: %s: %s; %s\n", engine, what.c_str(), next.c_str());
  std::exit(code);
}

// Where it listens, for errors.
inline std::string place(const Settings& settings) { return settings.host + " port " + std::to_string(settings.port); }

inline std::string read(const char* engine, const char* variable, const std::string& wanted, bool (*is_right)(const std::string&)) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') fail(engine, impossible, std::string(variable) + " is not set", "set it to " + wanted);
  if (!is_right(value)) fail(engine, impossible, std::string(variable) + " is \"" + value + "\"", "set it to " + wanted);
  return value;
}

inline bool is_port(const std::string& value) {
  return !value.empty() && value.size() <= 5 && value.find_first_not_of("0123456789") == std::string::npos && std::stoi(value) > 0 &&
         std::stoi(value) <= 65535;
}

inline bool is_address(const std::string& value) {
  in6_addr address;
  return inet_pton(AF_INET, value.c_str(), &address) == 1 || inet_pton(AF_INET6, value.c_str(), &address) == 1;
}

inline bool is_folder(const std::string& value) {
  struct stat info;
  return stat(value.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Ends the process at once on SIGTERM and SIGINT, which closes every connection.
inline void stop_when_asked() {
  for (int each : {SIGTERM, SIGINT}) std::signal(each, [](int) { _exit(stopped); });
}

// Reads and checks the environment. Ends the process with 64 or 69 if something is wrong.
inline Settings read_settings(const char* engine, const std::map<std::string, Behaviour>& behaviours) {
  stop_when_asked();
  Settings settings;
  settings.host = read(engine, "WSCALE_HOST", "an IP address", is_address);
  settings.port = static_cast<std::uint16_t>(std::stoi(read(engine, "WSCALE_PORT", "a port from 1 to 65535", is_port)));
  read(engine, "WSCALE_RUN_DIR", "an existing folder", is_folder);
  read(engine, "WSCALE_WORKERS", "1", [](const std::string& value) { return value == "1"; });
  std::string known;
  for (const auto& [name, behaviour] : behaviours) known += (known.empty() ? "" : ", ") + name;
  std::string wanted = read(engine, "WSCALE_BEHAVIOUR", "one of " + known, [](const std::string&) { return true; });
  auto found = behaviours.find(wanted);
  if (found == behaviours.end()) fail(engine, unsupported, "behaviour \"" + wanted + "\" is not supported", "use one of " + known);
  settings.behaviour = found->second;
  return settings;
}

// Prints the `ready` line: the server accepts connections.
inline void print_ready(const char* engine, const char* version, const Settings& settings) {
  std::printf("ready {\"engine\":\"%s\",\"version\":\"%s\",\"port\":%u,\"processes\":[{\"pid\":%d,\"role\":\"worker\",\"index\":1}]}\n", engine,
              version, settings.port, getpid());
  std::fflush(stdout);
}

// The `pingpong`, with a count of this process's pings, as in listing A.2 of the thesis. The event is searched for, where engines in
// other languages parse JSON: cheaper, so no comparison of engines uses it.
inline std::optional<std::string_view> answer_ping(std::string_view text) {
  static std::uint64_t pings = 0;
  static std::string pong;
  if (text.find("\"event\":\"ping\"") == std::string_view::npos) return std::nullopt;
  pong = "{\"event\":\"pong\",\"data\":" + std::to_string(++pings) + "}";
  return pong;
}

inline std::optional<std::string_view> echo(std::string_view message) { return message; }
inline std::optional<std::string_view> ignore(std::string_view) { return std::nullopt; }

// Behaviours that every engine has, by name.
inline const std::map<std::string, Behaviour> behaviours = {{"echo", echo}, {"pingpong", answer_ping}, {"idle", ignore}};

// With `broadcast`, too.
inline std::map<std::string, Behaviour> with_broadcast() {
  auto all = behaviours;
  all["broadcast"] = nullptr;
  return all;
}

}  // namespace contract
