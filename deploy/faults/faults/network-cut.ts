import type { Fault, Stage } from '../fault.js';
import type { LinkState } from '../servers/link-stream.js';

/** Maximum duration of a call: the 2 s that the API promises, and some time for a busy machine. */
const MAX_CALL_MS = 2_500;
const OUTAGE_MS = 8_000;

interface Period {
  /** Durations of refused and of successful calls. */
  readonly refusedMs: readonly number[];
  readonly doneMs: readonly number[];
}

export const networkCut: Fault = {
  name: 'network-cut',
  summary:
    'the links to PostgreSQL and Redis lossy (20 ms, 2 %) for 8 s, then each cut without a word for 8 s',
  isQuick: true,
  allowedLoss: 'none',
  prepare() {
    const states: Record<'postgres' | 'redis', LinkState> = { postgres: 'good', redis: 'good' };
    return {
      world: { links: { postgres: () => states.postgres, redis: () => states.redis } },
      async run(stage) {
        const { check, world, mended } = stage;
        states.postgres = 'lossy';
        states.redis = 'lossy';
        const lossy = await periodOf(stage, 'the links are lossy');
        check(lossy.doneMs.length > 0, 'no change was accepted over lossy links');
        states.redis = 'good';
        states.postgres = 'cut';
        const withoutDatabase = await periodOf(stage, 'PostgreSQL is cut off');
        check(withoutDatabase.refusedMs.length > 3, 'changes were not refused while PostgreSQL was cut off');
        states.postgres = 'good';
        await stage.pause(3_000);

        states.redis = 'cut';
        const withoutRedis = await periodOf(stage, 'Redis is cut off');
        check(withoutRedis.doneMs.length > 3, 'changes were not accepted while Redis was cut off');
        check(withoutRedis.refusedMs.length === 0, 'changes were refused while Redis was cut off');
        const { body } = await world.api.call<{ reasons?: { publishing?: string } }>('GET', '/readyz');
        const { publishing = '' } = body.reasons ?? {};
        check(publishing.includes('delayed'), `no page said that publishing is delayed, but "${publishing}"`);
        states.redis = 'good';
        mended();
      },
    };
  },
};

/** Lasts for the outage. Every call of the writers must be answered in time. */
async function periodOf({ pause, writers, say, check }: Stage, what: string): Promise<Period> {
  const [sinceMs, before] = [performance.now(), writers.calls.length];
  await pause(OUTAGE_MS);
  const calls = writers.calls.slice(before).filter(({ startedMs }) => startedMs >= sinceMs);
  const durations = (isDone: boolean) =>
    calls
      .filter(({ status }) => isDone === (status !== undefined && status < 300))
      .map(({ durationMs }) => durationMs);
  const [refusedMs, doneMs] = [durations(false), durations(true)];
  say(
    `${what}: ${doneMs.length} changes done in ${range(doneMs)}, ${refusedMs.length} refused in ${range(refusedMs)}`,
  );
  const late = calls.filter(({ durationMs }) => durationMs > MAX_CALL_MS);
  check(late.length === 0, `${late.length} calls took longer than ${MAX_CALL_MS} ms while ${what}`);
  const other = calls.filter(({ status }) => status !== 503 && !(status !== undefined && status < 300));
  check(other.length === 0, `calls were answered ${other.map(({ status }) => status).join()} while ${what}`);
  return { refusedMs, doneMs };
}

function range(durationsMs: readonly number[]): string {
  if (durationsMs.length === 0) return 'no time';
  const sorted = durationsMs.map(Math.round).sort((a, b) => a - b);
  return `${sorted[0]} to ${sorted.at(-1)} ms (median ${sorted[sorted.length >> 1]})`;
}
