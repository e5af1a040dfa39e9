import { AppError } from '../../errors/app-error.js';
import { readMoment } from '../analytics/public.js';
import type { PostedConversion } from './experiment-schema.js';
import { VISIT } from './goal.js';

/** Maximum difference between the clocks of servers. */
export const CLOCK_SKEW_MS = 5 * 60_000;
/** Earliest time of a conversion. */
const EARLIEST_MS = Date.UTC(2020, 0, 1);

/** A posted conversion, checked. */
export interface NewConversion {
  readonly id: string;
  readonly goal: string;
  readonly atMs: number;
  readonly value: number | undefined;
  readonly joinedBy:
    | { readonly kind: 'visitor'; readonly visitorId: string }
    | { readonly kind: 'click'; readonly clickId: string };
}

/**
 * Checks constraints that a schema cannot express.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field, `conversions.3.at`
 */
export function parseConversions(posted: readonly PostedConversion[], nowMs: number): NewConversion[] {
  return posted.map((conversion, index) => {
    const field = (name: string) => `conversions.${index}.${name}`;
    const { id, goal, value } = conversion;
    if (goal.startsWith(VISIT)) {
      throw refusal(field('goal'), `must not begin with ${VISIT}, which stands for visits.`);
    }
    return {
      id,
      goal,
      value,
      atMs: timeOf(conversion.at, field('at'), nowMs),
      joinedBy: joinOf(conversion, index),
    };
  });
}

function timeOf(text: string | undefined, field: string, nowMs: number): number {
  if (text === undefined) return nowMs;
  const timeMs = readMoment(text, 'start');
  if (timeMs === undefined || timeMs < EARLIEST_MS) {
    throw refusal(field, 'must be an ISO 8601 timestamp (2026-01-31T08:00:00Z) from 2020 on.');
  }
  if (timeMs > nowMs + CLOCK_SKEW_MS) {
    throw refusal(field, `must not be in the future: it is ${new Date(nowMs).toISOString()} now.`);
  }
  return Math.min(timeMs, nowMs);
}

function joinOf({ visitorId, clickId }: PostedConversion, index: number): NewConversion['joinedBy'] {
  if (visitorId !== undefined && clickId === undefined) return { kind: 'visitor', visitorId };
  if (clickId !== undefined && visitorId === undefined) return { kind: 'click', clickId };
  const name = visitorId === undefined ? 'visitorId' : 'clickId';
  throw refusal(
    `conversions.${index}.${name}`,
    'must be given if and only if the other one is not: a conversion has either visitorId or clickId.',
  );
}

function refusal(field: string, must: string): AppError {
  return new AppError('VALIDATION_ERROR', { field, message: `${field} ${must}` });
}
