import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { expect, vi } from 'vitest';
import { readRecords } from '../workers/worker-record.js';
import { isRunning } from './crash-processes.fixture.js';
import { HOST } from './crash-product.fixture.js';
import { startVisitors, VISITORS } from './crash-traffic.fixture.js';
import type { Product } from './product.fixture.js';

/** Visitors on kept connections and on new ones. */
export interface Traffic {
  readonly answered: () => number;
  /** Resolves when `count` more have been answered. */
  answeredMore(count: number): Promise<void>;
  /**
   * Stops the visits. Expects that every visit was answered by a redirect. @param closedPorts ports of workers that
   * have ended
   */
  expectNoneFailed(closedPorts: number): Promise<void>;
  stop(): Promise<void>;
}

/** The pace of the traffic: a busy machine must have time for the rest. */
const PAUSE_MS = 10;

/**
 * Linux resets the connections that wait for a worker when it closes its port, unless net.ipv4.tcp_migrate_req is 1. Each
 * visitor has one connection at a time.
 */
export function resetsAtClosing(closedPorts: number, visitors = VISITORS): number {
  const setting = readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'latin1').trim();
  return setting === '1' ? 0 : closedPorts * visitors;
}

/** @param tls connects with TLS. Default: without */
export function startTraffic(
  product: Pick<Product, 'redirectAddress'>,
  host = HOST,
  tls?: ConnectionOptions,
): Traffic {
  const options = { pauseMs: PAUSE_MS, ...(tls && { tls }) };
  const kinds = [false, true].map((isFresh) => startVisitors(product, host, { isFresh, ...options }));
  const answered = () => kinds.reduce((sum, { answeredAtMs }) => sum + answeredAtMs.length, 0);
  const stop = async () => void (await Promise.all(kinds.map((kind) => kind.stop())));
  return {
    answered,
    async answeredMore(count) {
      const goal = answered() + count;
      await vi.waitFor(() => expect(answered()).toBeGreaterThan(goal), { interval: 10 });
    },
    async expectNoneFailed(closedPorts) {
      await stop();
      for (const { outcomes, wrong } of kinds) {
        expect(wrong).toEqual([]);
        expect(outcomes).toMatchObject({ refused: 0, cut: 0 });
        expect(outcomes.reset + outcomes.closed).toBeLessThanOrEqual(resetsAtClosing(closedPorts));
      }
    },
    stop,
  };
}

/** The workers that are recorded in a data directory and run. */
export async function workersOf(dataDir: string): Promise<number[]> {
  return (await readRecords(dataDir)).map(({ pid }) => pid).filter(isRunning);
}

/** The names of the variables that a process was started with. */
export function environmentOf(pid: number): string[] {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return variables.map((variable) => variable.split('=', 1)[0] ?? '');
}

interface BasicStats {
  readonly data: { readonly totalHits: number };
  readonly meta: { readonly delivery: Readonly<Record<string, number>> };
}

/** Expects that every one of `count` visits is stored exactly once. */
export async function expectStored(product: Product, redirectId: string, count: number): Promise<void> {
  const statsOf = async () =>
    (await product.api<BasicStats>('GET', `/analytics/redirect/${redirectId}/stats/basic`)).body;
  await vi.waitFor(async () => expect((await statsOf()).data.totalHits).toBeGreaterThanOrEqual(count), {
    interval: 100,
  });
  const { data, meta } = await statsOf();
  expect(data.totalHits).toBe(count);
  expect(meta.delivery).toMatchObject({ duplicated: 0, lost: 0 });
}
