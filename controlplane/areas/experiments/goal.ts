import { AppError } from '../../errors/app-error.js';

/** Condition for a conversion. */
export type Goal =
  /** Posted conversions of this name; of any name if it is undefined. */
  | { readonly kind: 'posted'; readonly name: string | undefined }
  /** A visit to a path, or to all paths with a prefix, of another or the same redirect. */
  | { readonly kind: 'visit'; readonly host: string; readonly path: string; readonly isPrefix: boolean };

export const VISIT = 'visit:';
export const MAX_GOAL_LENGTH = 2_048;
export const MAX_GOAL_NAME_LENGTH = 100;

const ACCEPTED =
  'Accepted are the name of a goal of posted conversions, and visit:HOST/PATH with a host of one of your redirects (visit:shop.example.com/thanks*; a * at the end stands for any rest).';

/**
 * Reads the goal of a result.
 *
 * @throws {AppError} VALIDATION_ERROR with the field `goal`
 */
export function parseGoal(text: string | undefined): Goal {
  if (text === undefined) return { kind: 'posted', name: undefined };
  if (!text.startsWith(VISIT)) {
    if (text !== '' && text.length <= MAX_GOAL_NAME_LENGTH) return { kind: 'posted', name: text };
    throw unknownGoal(`The name of a goal has 1 to ${MAX_GOAL_NAME_LENGTH} characters.`);
  }
  const place = text.slice(VISIT.length);
  const slash = place.indexOf('/');
  const host = (slash === -1 ? place : place.slice(0, slash)).toLowerCase();
  const path = slash === -1 ? '/*' : place.slice(slash);
  if (host === '') throw unknownGoal(`${text} names no host.`);
  const isPrefix = path.endsWith('*');
  return { kind: 'visit', host, path: isPrefix ? path.slice(0, -1) : path, isPrefix };
}

export function unknownGoal(reason: string): AppError {
  return new AppError('VALIDATION_ERROR', { field: 'goal', message: `${reason} ${ACCEPTED}` });
}
