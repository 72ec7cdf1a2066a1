// Shared: an answer made of what is new in it, and of the parts of the one before that are the same.

type Parts = Record<string, unknown>;

const PLAIN: unknown[] = [Object.prototype, Array.prototype];

function isPlain(value: unknown): value is Parts {
  return typeof value === "object" && value !== null && PLAIN.includes(Object.getPrototypeOf(value));
}

// `now`, which is changed by it; or `before`, if nothing is another.
export function shared<Value>(before: unknown, now: Value): Value {
  if (Object.is(before, now) || !isPlain(before) || !isPlain(now) || Array.isArray(before) !== Array.isArray(now))
    return now;
  const names = Object.keys(now);
  let isSame = names.length === Object.keys(before).length;
  for (const name of names) {
    (now as Parts)[name] = shared(before[name], now[name]);
    isSame &&= name in before && Object.is(before[name], now[name]);
  }
  return isSame ? (before as Value) : now;
}
