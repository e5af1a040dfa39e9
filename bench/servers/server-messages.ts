import type { HitAccount } from './server-kind.js';

/** What a server process says to the benchmark. */
export type ServerMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** In use after a garbage collection. */
  | { readonly type: 'memory'; readonly bytes: number }
  /** How many rules have changed since the start. */
  | { readonly type: 'changes'; readonly count: number }
  /** With what the server itself knows of its hits, where the benchmark has not got them. */
  | { readonly type: 'stopped'; readonly hits?: HitAccount }
  /** `id` is repeated in the answer. */
  | { readonly type: 'hit-batch'; readonly id: number; readonly encoded: Uint8Array };

/** What the benchmark says to a server process. */
export type BenchMessage =
  | { readonly type: 'stop' }
  | { readonly type: 'memory-wanted' }
  /** From now on rules change so often; 0 is an end, which `changes` answers. */
  | { readonly type: 'change-rules'; readonly perSecond: number }
  /** The batch is in the ledger, unless there is a `refusal`. */
  | { readonly type: 'hit-batch-answer'; readonly id: number; readonly refusal?: string };
