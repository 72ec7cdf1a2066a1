// Json: a text of JSON as it was written: numbers with all their digits, of which those of JavaScript lose some, and all
// the names of an object, in their order, also those that are there twice.

// A number, as it was written.
export class Digits {
  constructor(readonly text: string) {}
}

export class Fields {
  readonly entries: [name: string, value: unknown][] = [];
}

const BETWEEN = " \t\n\r,:";
const WORDS: Record<string, unknown> = { true: true, false: false, null: null };

function endOfText(json: string, from: number): number {
  let at = from + 1;
  while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

// Throws where JSON.parse does. Goes down without recursion: some texts are nested deeper than a stack holds.
export function readJson(json: string): unknown {
  JSON.parse(json);
  const root: unknown[] = [];
  const parents: (unknown[] | Fields)[] = [];
  let parent: unknown[] | Fields = root;
  let name: string | null = null;
  const put = (value: unknown) => {
    if (parent instanceof Fields) parent.entries.push([name ?? "", value]);
    else parent.push(value);
    name = null;
  };
  const word = /[^\s,\]}]+/y;
  for (let at = 0; at < json.length;) {
    const letter = json[at];
    if (letter === "{" || letter === "[") {
      const opened: unknown[] | Fields = letter === "{" ? new Fields() : [];
      put(opened);
      parents.push(parent);
      parent = opened;
      at += 1;
    } else if (letter === "}" || letter === "]") {
      parent = parents.pop()!;
      at += 1;
    } else if (letter === '"') {
      const end = endOfText(json, at);
      const text: string = JSON.parse(json.slice(at, end));
      if (parent instanceof Fields && name === null) name = text;
      else put(text);
      at = end;
    } else if (BETWEEN.includes(letter)) {
      at += 1;
    } else {
      word.lastIndex = at;
      const [text] = word.exec(json)!;
      put(text in WORDS ? WORDS[text] : new Digits(text));
      at = word.lastIndex;
    }
  }
  return root[0];
}

export const isNested = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Digits);

export const partsOf = (value: object): [string, unknown][] =>
  value instanceof Fields ? value.entries : Object.entries(value);
