// Failure: why something was refused, in the broker's words, with what its log knows it by.

import { Refusal } from "../api/call";

export function Failure({ of: error }: { of: Error | null }) {
  if (error === null) return null;
  const refusal = error instanceof Refusal ? error : null;
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {refusal !== null && (
        <p class="beside">
          {refusal.code}
          {refusal.outcome === "unknown" && ", and whether it was done is not known"}
          {refusal.trackingId !== "" && (
            <>
              , tracking id <code>{refusal.trackingId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}
