// Descriptors: bodies that are messages of protobuf, by a descriptor set (`protoc -o`), as JSON. Reads the descriptors as
// they are: no code is made of them. Fetched when somebody has such a set.

import { type FileRegistry, create, createFileRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";

// Who imports them need not put them into the set.
const WELL_KNOWN = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
].map(({ proto }) => proto);

export interface Decoded {
  value: unknown;
  // Fields of it that its type does not have, by their numbers.
  unknown: number[];
}

export interface Descriptors {
  // Full names of its messages.
  types: string[];
  decode: (type: string, body: Uint8Array) => Decoded;
}

function registryOf(bytes: Uint8Array): FileRegistry {
  const { file } = fromBinary(FileDescriptorSetSchema, bytes);
  const names = new Set(file.map(({ name }) => name));
  for (const one of file) {
    const missing = one.dependency.find((name) => !names.has(name) && !WELL_KNOWN.some((known) => known.name === name));
    if (missing !== undefined)
      throw new Error(`it lacks ${missing}, which ${one.name} imports: make it with protoc --include_imports`);
  }
  return createFileRegistry(
    create(FileDescriptorSetSchema, { file: [...WELL_KNOWN.filter(({ name }) => !names.has(name)), ...file] }),
  );
}

function decode(registry: FileRegistry, type: string, body: Uint8Array): Decoded {
  const schema = registry.getMessage(type);
  if (schema === undefined) throw new Error(`there is no ${type} in the descriptor set`);
  const message = fromBinary(schema, body);
  const unknown = new Set((message.$unknown ?? []).map(({ no }) => no));
  return { value: toJson(schema, message, { registry }), unknown: [...unknown].sort((one, other) => one - other) };
}

export function readDescriptors(bytes: Uint8Array): Descriptors {
  const registry = registryOf(bytes);
  const types = [...registry]
    .filter((one) => one.kind === "message")
    .map(({ typeName }) => typeName)
    .filter((name) => !name.startsWith("google.protobuf."))
    .sort();
  if (types.length === 0) throw new Error("there is no message in it");
  return { types, decode: (type, body) => decode(registry, type, body) };
}
