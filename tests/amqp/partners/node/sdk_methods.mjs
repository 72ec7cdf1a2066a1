// sdk_methods: which methods the SDK of service_bus.mjs declares, and which of them a story has called.
import assert from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { packageName } from './service_bus.mjs';

const called = new Set();

// The object, of a class or an interface of this name; what is called of it is remembered.
export const watched = (kind, object) =>
  new Proxy(object, {
    get: (target, name) => {
      const found = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      return (...given) => {
        called.add(`${kind}.${String(name)}`);
        return found.apply(target, given);
      };
    },
  });

const typesOf = (name) => {
  const folder = new URL(`node_modules/${name}/`, import.meta.url);
  const { types } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  const there = new URL('.', new URL(types, folder));
  const files = readdirSync(there, { recursive: true }).filter((file) => file.endsWith('.d.ts'));
  return files.map((file) => readFileSync(new URL(file, there), 'utf8')).join('\n');
};

// As its declaration says: it is indented by four, and so are the names of its methods.
const methodsOf = (kind, text) => {
  const declaration = new RegExp(`^export (?:declare )?(?:interface|class) ${kind}\\b([^{]*)\\{([^]*?)^\\}`, 'm');
  const [, heading, body] = text.match(declaration);
  const own = [...body.matchAll(/^ {4}(?!constructor)([a-z]\w*)\(/gm)].map(([, name]) => name);
  assert.ok(own.length > 0, kind);
  const base = heading.match(/extends (\w+)/)?.[1];
  return new Set([...own, ...(base ? methodsOf(base, text) : [])]);
};

// Of these classes and interfaces.
export const notCalled = (...kinds) => {
  const text = typesOf(packageName);
  const declared = kinds.flatMap((kind) => [...methodsOf(kind, text)].map((name) => `${kind}.${name}`));
  return declared.filter((name) => !called.has(name));
};
