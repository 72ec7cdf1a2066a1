// TokenPager: pages of a list of the API, of which each names the next.

import { useState } from "preact/hooks";

export interface Tokens {
  token: string;
  isFirst: boolean;
  forward: (next: string) => void;
  back: () => void;
}

export function useTokens(): Tokens {
  const [tokens, setTokens] = useState<string[]>([""]);
  return {
    token: tokens.at(-1) ?? "",
    isFirst: tokens.length === 1,
    forward: (next) => setTokens((all) => [...all, next]),
    back: () => setTokens((all) => (all.length > 1 ? all.slice(0, -1) : all)),
  };
}

export function TokenPager({ tokens, next, noun }: { tokens: Tokens; next: string; noun: string }) {
  if (tokens.isFirst && next === "") return null;
  return (
    <nav class="pager" aria-label={`Pages of ${noun}`}>
      <button type="button" disabled={tokens.isFirst} onClick={tokens.back}>
        Previous
      </button>
      <button type="button" disabled={next === ""} onClick={() => tokens.forward(next)}>
        Next
      </button>
    </nav>
  );
}
