import type { ErrorBody } from '../../errors/app-error.js';
import type { Actor } from '../history/public.js';
import type { Definition } from './definition.js';

/** Reason that a publication at a time failed. */
export interface DraftError extends Readonly<Omit<ErrorBody['error'], 'code'>> {
  readonly code: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A draft as it is stored. */
export interface Draft {
  readonly redirectId: string;
  readonly userId: string;
  /** Grows with each change of the content or the schedule. No other draft has it. */
  readonly version: number;
  readonly definition: Definition;
  /** Version of the redirect that the draft was made from. */
  readonly baseVersion: number;
  readonly writtenBy: Actor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Time of publication; null if nobody asked for one. */
  readonly publishAt: Date | null;
  readonly publishBy: Actor | null;
  /** Reason that the last publication at a time failed; null if none did. */
  readonly lastError: DraftError | null;
  /** Attempts to publish it at its time. */
  readonly attempts: number;
}
