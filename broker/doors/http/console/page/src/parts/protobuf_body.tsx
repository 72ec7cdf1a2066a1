// ProtobufBody: a body as the message of protobuf that it is, by a descriptor set that somebody gives to the page.

import { useMemo } from "preact/hooks";

import { useDeed } from "../api/hooks";
import { counted, bytes as inBytes } from "../text/numbers";
import { type DescriptorSet, chooseType, dropSet, readSet, useDescriptorSet } from "./descriptor_set";
import { Failure } from "./failure";
import { Choice, FileField } from "./field";
import { Tree } from "./tree";

// A body of two bytes for each of its parts becomes forty times as large.
const BYTES_MAX = 4 * 1024 * 1024;

function Given() {
  const { run, failure } = useDeed(readSet);
  return (
    <>
      <FileField
        label="Descriptor set"
        hint="Made by protoc --include_imports -o FILE; 1 MiB at most. It is read in this page and sent to nobody."
        set={(file) => file !== null && void run(file)}
      />
      <Failure of={failure} />
    </>
  );
}

function decoded(set: DescriptorSet, type: string, bytes: Uint8Array) {
  if (bytes.length > BYTES_MAX)
    return { failure: new Error(`it has ${inBytes(bytes.length)}: up to ${inBytes(BYTES_MAX)} are decoded here`) };
  try {
    return { of: set.decode(type, bytes) };
  } catch (error) {
    return { failure: new Error(`these bytes are no ${type}: ${(error as Error).message}`) };
  }
}

function Message({ set, type, bytes }: { set: DescriptorSet; type: string; bytes: Uint8Array }) {
  const { of, failure } = useMemo(() => decoded(set, type, bytes), [set, type, bytes]);
  if (of === undefined) return <Failure of={failure ?? null} />;
  return (
    <>
      {of.unknown.length > 0 && (
        <p class="hint">
          The body has {counted(of.unknown.length, "field")} that {type} does not have:{" "}
          {of.unknown.slice(0, 20).join(", ")}. It may be of another type.
        </p>
      )}
      <div class="body tree">
        <Tree key={type} name="" value={of.value} depth={0} />
      </div>
    </>
  );
}

interface ProtobufBodyProps {
  path: string;
  bytes: Uint8Array;
  contentType: string | undefined;
}

export function ProtobufBody({ path, bytes, contentType }: ProtobufBodyProps) {
  const { set, type } = useDescriptorSet(path, contentType);
  if (set === null) return <Given />;
  return (
    <>
      <div class="filters">
        <Choice
          label={`Type, of ${set.name}`}
          value={type}
          set={(value) => chooseType(path, value)}
          options={set.types.map((name): [string, string] => [name, name])}
        />
        <div class="buttons">
          <button type="button" onClick={dropSet}>
            Another descriptor set
          </button>
        </div>
      </div>
      <Message set={set} type={type} bytes={bytes} />
    </>
  );
}
