// Route: which view is shown, by what stands behind the # of the address.

import { useEffect, useState } from "preact/hooks";

export function addressOf(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

function partsOf(hash: string): string[] {
  try {
    return hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

export function go(...parts: string[]): void {
  location.hash = addressOf(...parts);
}

export function useRoute(): string[] {
  const [parts, setParts] = useState(partsOf(location.hash));
  useEffect(() => {
    const look = () => setParts(partsOf(location.hash));
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  }, []);
  return parts;
}
