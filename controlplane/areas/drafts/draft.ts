import { AppError, type ErrorBody } from '../../errors/app-error.js';
import type { Actor, StateDifference } from '../history/public.js';
import type { Definition } from './definition.js';

/** Reason why a scheduled publication failed. */
export interface DraftError extends Readonly<Omit<ErrorBody['error'], 'code'>> {
  readonly code: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A stored draft. */
export interface Draft {
  readonly redirectId: string;
  readonly userId: string;
  /** Grows with each change of the content or the schedule. No other draft has it. */
  readonly version: number;
  readonly definition: Definition;
  /** Version of the redirect on which the draft is based. */
  readonly baseVersion: number;
  readonly writtenBy: Actor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Time of publication; null if none is scheduled. */
  readonly publishAt: Date | null;
  readonly publishBy: Actor | null;
  /** Reason why the last scheduled publication failed; null without a failure. */
  readonly lastError: DraftError | null;
  /** Attempts of the scheduled publication. */
  readonly attempts: number;
}

/** The redirect has changed since the draft was made. */
export class DraftOutdatedError extends AppError {
  /** @param changes since the base version; null if that version is no longer kept */
  constructor(
    readonly baseVersion: number,
    readonly currentVersion: number,
    readonly changes: readonly StateDifference[] | null = null,
  ) {
    super('PRECONDITION_FAILED', {
      field: 'If-Match',
      message: `The redirect has changed since the draft was made: its version was ${baseVersion} and is ${currentVersion} now. To publish the draft nevertheless, send the ETag of the redirect as If-Match.`,
    });
  }
}

export function noDraft(): AppError {
  const message = 'There is no draft of this redirect. Write one with PUT /redirects/{id}/draft.';
  return new AppError('NOT_FOUND', { message });
}

/** The draft changed while it was prepared. */
export function draftChanged(): AppError {
  const message = 'The draft was changed or published by another request. Read it again.';
  return new AppError('PRECONDITION_FAILED', { field: 'If-Match', message });
}

/** The request expects another version. */
export function notNamed(currentVersion: number): AppError {
  const message = `If-Match names neither the version of the redirect, ${currentVersion}, nor that of the draft. Read both again.`;
  return new AppError('PRECONDITION_FAILED', { field: 'If-Match', message });
}
