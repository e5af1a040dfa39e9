import type { Answer } from './answer-reader.js';
import type { PlaneMode, PlaneStats } from './load-messages.js';

/** Counts and checks the answers of one data plane. */
export interface PlaneTally {
  mode: PlaneMode;
  /** Counts a request that could not be sent. */
  unsent(): void;
  /** Counts a request to a steady host. */
  steady(outcome: Answer | string, expected: string, sentAtMs: number): void;
  /** Counts a request to a moving host. */
  moving(outcome: Answer | string, host: number, sentAtMs: number): void;
  /** Notes that another process answers from now on. It may start with its ruleset on disk. */
  beginLife(): void;
  /** Remembers the latest answers. */
  tick(nowMs: number): void;
  stats(): PlaneStats;
  readonly seen: readonly ReadonlySet<number>[];
}

/**
 * Hits recorded less than 20 ms before a kill may not be counted. On a busy machine the write of their count can take
 * ten times as long.
 */
const SHORTLY_BEFORE_MS = 250;
const MAX_EXAMPLES = 5;
const MAX_LATENCY_MS = 10_000;

export function createPlaneTally(movingHosts: number): PlaneTally {
  const count = {
    answered: 0,
    failed: 0,
    failedWhileDown: 0,
    wrong: 0,
    unanswered: 0,
    answeredShortlyBefore: 0,
  };
  const counters = Array.from({ length: movingHosts }, () => -1);
  const seen = counters.map(() => new Set<number>());
  const examples: string[] = [];
  const latencies = new Uint32Array(MAX_LATENCY_MS + 1);
  const recent: { readonly atMs: number; readonly answered: number }[] = [];
  let mode: PlaneMode = 'up';
  let askedForMs = 0;

  const example = (text: string) => {
    if (examples.length < MAX_EXAMPLES) examples.push(text);
  };
  const fail = (reason: string) => {
    if (mode === 'down') {
      count.failedWhileDown += 1;
      return;
    }
    count.failed += 1;
    example(reason);
  };
  const wrong = (text: string) => {
    count.wrong += 1;
    example(text);
  };

  /** Returns whether it is a redirect; counts everything else. */
  function isRedirect(outcome: Answer | string, sentAtMs: number): outcome is Answer {
    if (typeof outcome === 'string') {
      count.unanswered += 1;
      fail(outcome);
      return false;
    }
    const latencyMs = Math.min(MAX_LATENCY_MS, Math.round(performance.now() - sentAtMs));
    latencies[latencyMs] = (latencies[latencyMs] ?? 0) + 1;
    if (outcome.status === 302) {
      count.answered += 1;
      return true;
    }
    if (outcome.status === 503) fail('answered 503');
    else wrong(`answered ${outcome.status}`);
    return false;
  }

  const beginLife = () => void counters.fill(-1);

  return {
    get mode() {
      return mode;
    },
    set mode(next) {
      const [oldest] = recent;
      if (next === 'down')
        count.answeredShortlyBefore = count.answered - (oldest?.answered ?? count.answered);
      mode = next;
    },
    unsent() {
      // Its process has ended. The next one can answer before it is marked as up.
      if (mode === 'down') beginLife();
      fail('no connection');
    },
    steady(outcome, expected, sentAtMs) {
      if (!isRedirect(outcome, sentAtMs)) return;
      if (outcome.location !== expected) wrong(`${outcome.location} instead of ${expected}`);
    },
    moving(outcome, host, sentAtMs) {
      if (!isRedirect(outcome, sentAtMs)) return;
      const [, index, text] = /^https:\/\/m(\d+)\.example\/v\/(\d+)$/.exec(outcome.location) ?? [];
      const counter = Number(text ?? Number.NaN);
      const before = counters[host] ?? -1;
      if (Number(index) !== host || Number.isNaN(counter)) wrong(`${outcome.location} from m${host}`);
      else if (counter < before) wrong(`m${host} went back from ${before} to ${counter}`);
      else {
        counters[host] = counter;
        seen[host]?.add(counter);
      }
    },
    beginLife,
    tick(nowMs) {
      if (mode !== 'off') askedForMs += nowMs - (recent.at(-1)?.atMs ?? nowMs);
      recent.push({ atMs: nowMs, answered: count.answered });
      while ((recent[0]?.atMs ?? nowMs) < nowMs - SHORTLY_BEFORE_MS) recent.shift();
    },
    stats: () => ({
      ...count,
      askedForMs,
      counters: [...counters],
      examples: [...examples],
      p99Ms: percentile(latencies, 0.99),
    }),
    seen,
  };
}

function percentile(counts: Uint32Array, share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  return counts.findIndex((count) => {
    below += count;
    return total > 0 && below >= share * total;
  });
}
