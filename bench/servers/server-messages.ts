import type { HitAccount } from './server-kind.js';

/** Messages from a server process to the benchmark. */
export type ServerMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** Memory in use after a garbage collection. */
  | { readonly type: 'memory'; readonly bytes: number }
  /** Number of rule changes since the start. */
  | { readonly type: 'changes'; readonly count: number }
  /** Includes the server's own hit counts if the benchmark does not receive the hits. */
  | { readonly type: 'stopped'; readonly hits?: HitAccount }
  /** `id` is repeated in the answer. */
  | { readonly type: 'hit-batch'; readonly id: number; readonly encoded: Uint8Array };

/** Messages from the benchmark to a server process. */
export type BenchMessage =
  | { readonly type: 'stop' }
  | { readonly type: 'memory-wanted' }
  /** Sets the rate of rule changes. 0 stops them, and `changes` answers. */
  | { readonly type: 'change-rules'; readonly perSecond: number }
  /** The batch is in the ledger, unless there is a `refusal`. */
  | { readonly type: 'hit-batch-answer'; readonly id: number; readonly refusal?: string };
