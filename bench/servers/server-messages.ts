/** What a server process says to the benchmark. */
export type ServerMessage =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'stopped' }
  /** `id` is repeated in the answer. */
  | { readonly type: 'hit-batch'; readonly id: number; readonly encoded: Uint8Array };

/** What the benchmark says to a server process. */
export type BenchMessage =
  | { readonly type: 'stop' }
  /** The batch is in the ledger, unless there is a `refusal`. */
  | { readonly type: 'hit-batch-answer'; readonly id: number; readonly refusal?: string };
