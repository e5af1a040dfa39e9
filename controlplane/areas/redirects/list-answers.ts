import type { FastifyBaseLogger } from 'fastify';
import type { Plan } from '../../plan.js';
import type { Redirect } from './redirect.js';
import { currentMonth } from './redirect-record.js';
import type { RecordsOf } from './redirect-records.js';
import type { RedirectRecord } from './redirect-schema.js';

interface Answer {
  readonly plan: Plan;
  readonly month: string;
  readonly freshUntilMs: number;
  readonly body: Buffer;
}

export interface AnswerOptions {
  readonly plan: Plan;
  readonly log: FastifyBaseLogger;
  /** Serializes records by the schema of the answer. */
  serialize(records: readonly RedirectRecord[]): string;
}

/**
 * Returns the answer for a list of redirects in UTF-8. Callers must not write to it. The answer is reused while the
 * list is the same array, its usage is fresh, and plan and month are the same.
 */
export type ListAnswerOf = (redirects: readonly Redirect[], options: AnswerOptions) => Promise<Buffer>;

/** The cache lives as long as its lists. */
export function createListAnswers(recordsOf: RecordsOf): ListAnswerOf {
  const answers = new WeakMap<readonly Redirect[], Answer>();

  function isCurrent({ plan, month, freshUntilMs }: Answer, planNow: Plan): boolean {
    return Date.now() < freshUntilMs && plan === planNow && month === currentMonth();
  }

  return async (redirects, { plan, log, serialize }) => {
    const known = answers.get(redirects);
    if (known !== undefined && isCurrent(known, plan)) return known.body;
    const { records, ...made } = await recordsOf(redirects, plan, log);
    const body = Buffer.from(serialize(records));
    answers.set(redirects, { ...made, plan, body });
    return body;
  };
}
