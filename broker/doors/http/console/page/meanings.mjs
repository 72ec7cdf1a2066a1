// meanings: the properties of entities, and what each means, out of the .proto: {message: [{name, type, meaning}]}.
//
// Reads what protoc has accepted, in the form that ours have: one field a line, its comment above it.

const WANTED = ["QueueProperties", "TopicProperties", "SubscriptionProperties", "RetryPolicy"];
const ENUMS = ["EntityStatus", "SessionExpiryScope", "Backoff"];

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

function* blocksOf(text) {
  const open = [];
  let comment = [];
  for (const line of text.split("\n").map((line) => line.trim())) {
    const entry = /^(?:(?:optional|repeated) )?(?:([\w.]+) )?(\w+) = \d+;$/.exec(line);
    if (line.startsWith("//")) {
      comment.push(line.slice(2).trim());
      continue;
    }
    if (line.endsWith("{")) {
      open.push({ name: /(\w+) \{$/.exec(line)?.[1], entries: [] });
    } else if (entry && open.length > 0) {
      open.at(-1).entries.push({ type: entry[1] ?? "", word: entry[2], meaning: comment.join(" ") });
    } else if (line === "}") {
      yield open.pop();
    }
    comment = [];
  }
}

export function meaningsOf(texts) {
  const properties = {};
  const enums = {};
  for (const text of texts) {
    for (const { name, entries } of blocksOf(text)) {
      if (WANTED.includes(name)) {
        properties[name] = entries.map(({ type, word, meaning }) => ({
          name: camel(word),
          type: type.split(".").pop(),
          meaning,
        }));
      }
      if (ENUMS.includes(name)) enums[name] = entries.map(({ word }) => word);
    }
  }
  for (const name of [...WANTED, ...ENUMS]) {
    if (!(properties[name] ?? enums[name])?.length) throw new Error(`${name} is not in the .proto as it is looked for`);
  }
  return { properties, enums };
}
