// Lines: a document as it reads best in a test: each element that begins on a line of its own.
#pragma once

#include <string>

namespace wharf::atom {

inline std::string Lines(const std::string& xml) {
  std::string lines;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const bool begins = i > 0 && xml[i - 1] == '>' && xml[i] == '<' && xml[i + 1] != '/';
    if (begins) lines += '\n';
    lines += xml[i];
  }
  return lines + '\n';
}

}  // namespace wharf::atom
