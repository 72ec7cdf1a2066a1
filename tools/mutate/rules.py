"""rules: what no fault is put into, and why.

A rule says where, by the path of the file, by the function, or by the words of a call around the place, and why what
happens there is no promise to anybody. A fault is left out when one rule fits.
"""

import re
from dataclasses import dataclass

import text


@dataclass(frozen=True)
class Rule:
    name: str
    reason: str
    path: str = ""
    function: str = ""
    call: str = ""


RULES = (
    Rule("log text", "Nobody is promised the words of a log line.",
         call=r"\bspdlog::\w+\(|\bentity_log_\.\w+\(|\bUnsaid\("),
    Rule("statistics", "Numbers for people who look at a graph; no message depends on them.",
         path=r"(?:statistics|shard_counters)\.(?:h|cc)$", function=r"Statistics"),
    Rule("sizes of caches", "What is kept ready, and how much: speed only.",
         path=r"^storage/rocks_options\.", call=r"(?:\.|->)(?:reserve|shrink_to_fit|rehash)\("),
    Rule("assertions", "They hold, or there is another fault.",
         call=r"\bassert\("),
)


def _stretches(rule, code):
    for match in re.finditer(rule.call, code) if rule.call else ():
        begin = max(code.rfind(end, 0, match.start()) for end in ";{}") + 1
        # From the begin of the statement, when the call is all of it; else only the call.
        begin = begin if not code[begin:match.start()].strip(" \n\t*&:.->_") else match.start()
        yield begin, text.closing(code, match.end() - 1) + 1


def leaving_out(faults, code):
    """(kept, {rule: how many}) of the faults in one file."""
    stretches = {rule: list(_stretches(rule, code)) for rule in RULES}
    kept, left_out = [], {}
    for fault in faults:
        rule = next((rule for rule in RULES
                     if rule.path and re.search(rule.path, fault.file)
                     or rule.function and re.search(rule.function, fault.function)
                     or any(begin <= fault.begin < end for begin, end in stretches[rule])), None)
        if rule is None:
            kept.append(fault)
        else:
            left_out[rule.name] = left_out.get(rule.name, 0) + 1
    return kept, left_out
