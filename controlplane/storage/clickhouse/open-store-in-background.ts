import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { within } from '../../../shared/async/deadline.js';
import { ConfigError } from '../../../shared/config/environment.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openAnalyticsStore } from './client.js';
import { migrateAnalyticsStore } from './migrate.js';
import { openEmbeddedStore } from './open-embedded-store.js';
import type { PartsAside } from './parts-aside.js';
import { AnalyticsStoreError } from './store-error.js';
import { storeProblem } from './store-problem.js';

export interface BackgroundPace {
  /** Maximum wait of the start for the server. */
  readonly firstWaitMs: number;
  readonly retryIntervalMs: number;
}

export interface BackgroundOptions {
  readonly pace?: BackgroundPace;
  /** Ends the opening. */
  readonly signal?: AbortSignal;
}

const PACE: BackgroundPace = { firstWaitMs: 5_000, retryIntervalMs: 2_000 };

/** A store that may be opened later. */
export interface BackgroundStore extends AnalyticsStore {
  /** Problem and fix for operators while the store refuses everything; undefined otherwise. */
  readonly problem?: string | undefined;
  /** Damaged parts that were put aside. Only an embedded store has them. */
  readonly partsAside?: PartsAside;
}

/**
 * Opens the configured store in the background, so the process does not wait. Refuses statements as `unavailable` while
 * the server does not answer or the embedded store cannot be opened. Tries a server again until it answers and its
 * schema is up to date, until `close`, or until the signal is aborted.
 *
 * @throws if a server refuses the schema, or the embedded engine cannot be loaded
 */
export async function openStoreInBackground(
  config: Parameters<typeof openAnalyticsStore>[0],
  logger: Logger,
  {
    pace: { firstWaitMs, retryIntervalMs } = PACE,
    signal = new AbortController().signal,
  }: BackgroundOptions = {},
): Promise<BackgroundStore> {
  if (config.clickhouseUrl === undefined) {
    return openEmbeddedStore(config.dataDir, logger, { signal, retryIntervalMs });
  }
  const store = await openAnalyticsStore(config);
  const closing = new AbortController();
  const ending = AbortSignal.any([signal, closing.signal]);
  let isReady = false;

  const migrate = async () => {
    await migrateAnalyticsStore(store, logger, { signal: ending });
    isReady = true;
  };

  const keepTrying = async () => {
    while (!isReady && !ending.aborted) {
      await delay(retryIntervalMs, undefined, { signal: ending, ref: false }).catch(() => undefined);
      if (ending.aborted) return;
      try {
        await migrate();
        logger.info('ClickHouse is there: the statistics can be read');
      } catch (error) {
        if (!ending.aborted && !isUnavailable(error))
          logger.error({ err: error }, 'the schema of ClickHouse cannot be brought up to date');
      }
    }
  };

  try {
    await inTime(migrate(), firstWaitMs);
  } catch (error) {
    if (!isUnavailable(error)) {
      await store.close();
      const problem = storeProblem(error, store.kind);
      throw problem === undefined ? error : new ConfigError(problem, { cause: error });
    }
    logger.warn(
      { problem: storeProblem(error, store.kind) },
      'ClickHouse is away: everything but the statistics goes on without it',
    );
    void keepTrying();
  }
  return waitingStore(store, () => isReady, closing);
}

/** The store, which refuses everything until it is ready. */
function waitingStore(
  store: AnalyticsStore,
  isReady: () => boolean,
  closing: AbortController,
): AnalyticsStore {
  const whenReady = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (!isReady())
      throw new AnalyticsStoreError('unavailable', new Error('ClickHouse has not been reached yet'));
    return work();
  };
  return {
    kind: store.kind,
    query: (...statement) => whenReady(() => store.query(...statement)),
    queryLines: (...statement) => whenReady(() => store.queryLines(...statement)),
    queryBlocks: (...statement) => whenReady(() => store.queryBlocks(...statement)),
    insertRows: (insert) => whenReady(() => store.insertRows(insert)),
    command: (sql, params) => whenReady(() => store.command(sql, params)),
    ping: () => whenReady(() => store.ping()),
    async close() {
      closing.abort();
      await store.close();
    },
  };
}

/** Limits the wait. A server that does not answer counts as away. */
async function inTime(work: Promise<void>, limitMs: number): Promise<void> {
  let isLate = true;
  const settled = work.finally(() => {
    isLate = false;
  });
  try {
    await within(limitMs, 'ClickHouse', settled);
  } catch (error) {
    throw isLate ? new AnalyticsStoreError('unavailable', error) : error;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AnalyticsStoreError && error.failure === 'unavailable';
}
