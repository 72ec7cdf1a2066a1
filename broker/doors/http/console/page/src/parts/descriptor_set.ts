// DescriptorSet: the one that somebody has given to this page, and which type the bodies of an entity are of. It stays in
// this page alone.

import { useEffect, useState } from "preact/hooks";

import { keptForOne } from "../api/presence";
import type { Descriptors } from "../text/descriptors";
import { bytes } from "../text/numbers";

const BYTES_MAX = 1024 * 1024;

export interface DescriptorSet extends Descriptors {
  name: string;
}

let set: DescriptorSet | null = null;
const types = new Map<string, string>();
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export async function readSet(file: File): Promise<void> {
  if (file.size > BYTES_MAX) throw new Error(`${file.name} has ${bytes(file.size)}: ${bytes(BYTES_MAX)} at most`);
  const content = new Uint8Array(await file.arrayBuffer());
  const { readDescriptors } = await import("../text/descriptors");
  try {
    set = { name: file.name, ...readDescriptors(content) };
  } catch (error) {
    throw new Error(`${file.name} is no descriptor set that can be used: ${(error as Error).message}`);
  }
  types.clear();
  tell();
}

export function dropSet(): void {
  set = null;
  types.clear();
  tell();
}

keptForOne(dropSet);

export function chooseType(path: string, type: string): void {
  types.set(path, type);
  tell();
}

// What its sender says of the type: application/x-protobuf; messageType="shop.Order".
function typeOfContent(contentType: string | undefined): string | undefined {
  return /\b(?:messageType|proto|type)="?([\w.]+)"?/i.exec(contentType ?? "")?.[1];
}

export function useDescriptorSet(path: string, contentType?: string): { set: DescriptorSet | null; type: string } {
  const [, setRound] = useState(0);
  useEffect(() => {
    const listener = () => setRound((round) => round + 1);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  const told = typeOfContent(contentType);
  const type = types.get(path) ?? (told !== undefined && set?.types.includes(told) ? told : set?.types[0]);
  return { set, type: type ?? "" };
}
