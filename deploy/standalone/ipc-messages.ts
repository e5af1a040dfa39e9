import type { RulesetDelta, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';

/** What the data-plane process says to its parent. */
export type DataplaneMessage =
  | { readonly type: 'ready'; readonly redirectAddress: string; readonly adminAddress: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'snapshot-wanted' }
  /** `id` is repeated in the answer. */
  | { readonly type: 'hit-batch'; readonly id: number; readonly encoded: Uint8Array };

/** What the parent says to the data-plane process. */
export type ParentMessage =
  | { readonly type: 'snapshot'; readonly snapshot: RulesetSnapshot }
  | { readonly type: 'delta'; readonly delta: RulesetDelta }
  /** The batch is stored, unless there is an `error`. */
  | { readonly type: 'hit-batch-answer'; readonly id: number; readonly error?: string }
  | { readonly type: 'drain' };
