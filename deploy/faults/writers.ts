import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from './api.js';
import { movingDestination } from './load/load-messages.js';
import type { Redirects } from './redirects.js';

/** Writes to one moving host. */
export interface WrittenCounters {
  /** The last acknowledged counter. */
  readonly acknowledged: number;
  /** Counters that visitors may see. */
  readonly possible: ReadonlySet<number>;
}

export interface WriterCall {
  /** Start by `performance.now()`. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** Undefined without an answer. */
  readonly status: number | undefined;
}

/** Callers of the API that change the destinations of the moving hosts, and create redirects, one after another. */
export interface Writers {
  /** Returns the current counters of each moving host. */
  counters(): readonly WrittenCounters[];
  /** Hosts whose redirect was acknowledged. */
  readonly created: readonly string[];
  /** Inexcusable answers: neither success nor 5xx. */
  readonly refused: readonly string[];
  /** Calls without an answer, or with 5xx, which may have been carried out. */
  readonly uncertain: number;
  /** All ended calls, in the order of their ends. */
  readonly calls: readonly WriterCall[];
  stop(): Promise<void>;
}

const PAUSE_MS = 40;
/** A new redirect follows after this many changes. */
const CREATE_EVERY = 10;

export function startWriters(api: Api, redirects: Redirects): Writers {
  const acknowledged = redirects.moving.map(() => 0);
  const possible = redirects.moving.map(() => new Set([0]));
  const created: string[] = [];
  const refused: string[] = [];
  const calls: WriterCall[] = [];
  let uncertain = 0;
  let isStopped = false;

  async function attempt(
    method: string,
    path: string,
    body: unknown,
  ): Promise<'done' | 'refused' | 'uncertain'> {
    const startedMs = performance.now();
    const answer = await api.call(method, path, body).catch(() => undefined);
    calls.push({ startedMs, durationMs: performance.now() - startedMs, status: answer?.status });
    if (answer === undefined || answer.status >= 500) {
      uncertain += 1;
      return 'uncertain';
    }
    if (answer.status < 300) return 'done';
    refused.push(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return 'refused';
  }

  async function write(host: number): Promise<void> {
    for (let counter = 1; !isStopped; counter += 1) {
      possible[host]?.add(counter);
      const change = { toDomain: movingDestination(host, counter) };
      const outcome = await attempt('PUT', `/update/${redirects.moving[host]}`, change);
      if (outcome === 'done') acknowledged[host] = counter;
      if (outcome === 'refused') possible[host]?.delete(counter);
      if (counter % CREATE_EVERY === 0) {
        const fromDomain = `new-${host}-${counter}.localhost`;
        const made = await attempt('POST', '/add-redirect', { fromDomain, toDomain: 'https://new.example' });
        if (made === 'done') created.push(fromDomain);
      }
      await delay(PAUSE_MS);
    }
  }

  const writing = redirects.moving.map((_, host) => write(host));
  return {
    counters: () =>
      acknowledged.map((last, host) => ({ acknowledged: last, possible: possible[host] ?? new Set() })),
    created,
    refused,
    calls,
    get uncertain() {
      return uncertain;
    },
    async stop() {
      isStopped = true;
      await Promise.all(writing);
    },
  };
}
