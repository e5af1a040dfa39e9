import type { CurrentUser } from '../../http/current-user.js';

/** Inputs of a turn. */
export interface Turn {
  readonly claimant: string;
  readonly user: CurrentUser;
  /** Aborted when the import is canceled, when others took it over, and on `stop`. */
  readonly signal: AbortSignal;
  /** Unix time at which the turn ends after the part under way. */
  readonly untilMs: number;
}
