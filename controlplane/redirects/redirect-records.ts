import type { FastifyBaseLogger } from 'fastify';
import type { Plan } from '../accounts/plans.js';
import type { UsageReading } from '../analytics/usage.js';
import type { Redirect } from './redirect.js';
import { currentMonth, NO_USAGE, redirectRecord } from './redirect-record.js';
import type { RedirectRecord } from './redirect-schema.js';

/** Hits of this month, by redirect id; rejects when they cannot be had. */
export type UsageOf = (redirectIds: readonly string[]) => Promise<UsageReading>;

/** Records, and until when (milliseconds since 1970) they are true while redirects and plan stay the same. */
export interface Records {
  readonly records: readonly RedirectRecord[];
  readonly month: string;
  readonly freshUntilMs: number;
}

/** Makes what the API shows of some redirects, in their order: with the last known usage, or zeros, where it cannot be read. */
export type RecordsOf = (
  redirects: readonly Redirect[],
  plan: Plan,
  log: FastifyBaseLogger,
) => Promise<Records>;

export function createRecords(usageOf: UsageOf): RecordsOf {
  return async (redirects, plan, log) => {
    // Analytics being away or busy must not keep anybody from managing redirects.
    const { usage, freshUntilMs, problem } = await usageOf(redirects.map(({ id }) => id)).catch(
      (problem: unknown): UsageReading => ({ usage: new Map(), freshUntilMs: 0, problem }),
    );
    if (problem !== undefined) {
      log.warn({ err: problem }, 'usage cannot be read at the moment; the last known usage is shown');
    }
    const month = currentMonth();
    const records = redirects.map((redirect) =>
      redirectRecord(redirect, plan, usage.get(redirect.id) ?? NO_USAGE, month),
    );
    return { records, month, freshUntilMs };
  };
}
