import type { RedirectDefinition } from './redirect-definition.js';

/** Answer of a redirect that is not served at this time: 404 or 410. */
export type Closed = 'not_found' | 'gone';

/** Selects the answer of a redirect by time. */
export interface RedirectSchedule<Answer> {
  at(nowMs: number): Answer | Closed;
}

export interface SchedulePhases<Answer> {
  /** Answer between start and end. */
  readonly open: Answer;
  /** Answer in the last `cacheSeconds` before the end. Caches must not keep it. */
  closing(): Answer;
  /** Answer after the end. */
  redirectTo(url: string): Answer;
}

/** Returns whether the answer of a redirect depends on time, or is 410 at any time. */
export function hasSchedule({ gone, startsAt, endsAt }: RedirectDefinition): boolean {
  return gone !== undefined || startsAt !== undefined || endsAt !== undefined;
}

/** @param cacheSeconds time that caches may keep the answer between start and end; 0 forbids caching */
export function createSchedule<Answer>(
  { gone, startsAt = Number.NEGATIVE_INFINITY, endsAt, afterEnd }: RedirectDefinition,
  cacheSeconds: number,
  phases: SchedulePhases<Answer>,
): RedirectSchedule<Answer> {
  if (gone) return { at: () => 'gone' };
  const { open } = phases;
  if (endsAt === undefined) return { at: (nowMs) => (nowMs < startsAt ? 'not_found' : open) };
  const closing = cacheSeconds === 0 ? open : phases.closing();
  const closesAt = endsAt - cacheSeconds * 1_000;
  const ended = endedAnswer(afterEnd, phases);
  return {
    at(nowMs) {
      if (nowMs >= endsAt) return ended;
      if (nowMs < startsAt) return 'not_found';
      return nowMs > closesAt ? closing : open;
    },
  };
}

function endedAnswer<Answer>(
  afterEnd: RedirectDefinition['afterEnd'],
  phases: SchedulePhases<Answer>,
): Answer | Closed {
  if (afterEnd === undefined) return 'not_found';
  return 'url' in afterEnd ? phases.redirectTo(afterEnd.url) : 'gone';
}
