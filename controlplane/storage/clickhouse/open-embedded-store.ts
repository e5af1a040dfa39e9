import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ConfigError } from '../../../shared/config/environment.js';
import { ignoring, messageOf } from '../../../shared/process/error-facts.js';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { readMigrations } from '../postgres/migrations.js';
import type { AnalyticsStore } from './analytics-store.js';
import { openAnalyticsStore } from './client.js';
import { clickhouseMigrationsFolder, migrateAnalyticsStore } from './migrate.js';
import { findPartsAside, type PartsAside, putDamagedPartsAside } from './parts-aside.js';
import { AnalyticsStoreError, isDamage } from './store-error.js';

const WAYS_ON =
  'Stop and restore a backup (npm run restore -- FILE), or move the folder away to begin with empty statistics.';
/** Minimum interval between searches for damaged parts. A search reads the whole store. */
const LEAST_REPAIR_INTERVAL_MS = 60_000;
const NONE: PartsAside = { parts: 0, rows: 0 };

export interface EmbeddedStore extends AnalyticsStore {
  /** Problem and fix while the store refuses everything; undefined while it is open. */
  readonly problem: string | undefined;
  readonly partsAside: PartsAside;
}

export interface EmbeddedStoreOptions {
  readonly signal: AbortSignal;
  /** Time between two checks for room on a full disk. */
  readonly retryIntervalMs: number;
}

/**
 * Opens the embedded store in `dataDir` and brings its schema up to date. A store that cannot be opened refuses
 * everything as `unavailable`. It is opened again when the disk that was full, or could not be written to, has room.
 * Damaged parts are put aside: by ClickHouse when it opens the store, later when a statement meets one.
 *
 * @throws {ConfigError} when the engine is not installed
 */
export async function openEmbeddedStore(
  dataDir: string,
  logger: Logger,
  { signal, retryIntervalMs }: EmbeddedStoreOptions,
): Promise<EmbeddedStore> {
  const folder = path.join(dataDir, 'clickhouse');
  const closing = new AbortController();
  const ending = AbortSignal.any([signal, closing.signal]);
  let store: AnalyticsStore | undefined;
  let problem: string | undefined;
  let partsAside = NONE;
  let work: Promise<void> = Promise.resolve();
  let closed: Promise<void> | undefined;
  let repairing: Promise<void> | undefined;
  let repairedAtMs = Number.NEGATIVE_INFINITY;

  async function open(): Promise<void> {
    store = await openWhole(dataDir, folder, logger, ending);
    problem = undefined;
    await lookAside(store);
  }

  async function lookAside(opened: AnalyticsStore): Promise<void> {
    partsAside = await findPartsAside(opened);
    if (partsAside.parts === 0) return;
    logger.warn(
      { ...partsAside, folder: path.join(folder, 'store', '*', '*', 'detached') },
      'the statistics lack what is in damaged parts that were put aside: restore a backup, or go on without these rows',
    );
  }

  async function waitForRoom(): Promise<void> {
    while (store === undefined && !ending.aborted) {
      await delay(retryIntervalMs, undefined, { signal: ending, ref: false }).catch(() => undefined);
      if (ending.aborted || (await writeProblem(dataDir, START_BYTES)) !== undefined) continue;
      try {
        await open();
        logger.info('the embedded ClickHouse is open: the statistics can be read');
      } catch (error) {
        if (!ending.aborted) fail(error, await writeProblem(dataDir, START_BYTES));
        if (problem !== undefined && (await writeProblem(dataDir, START_BYTES)) === undefined) return;
      }
    }
  }

  function fail(error: unknown, noRoom: string | undefined): void {
    problem =
      noRoom === undefined
        ? `The statistics in ${folder} cannot be opened (${messageOf(error)}). ${WAYS_ON}`
        : `The statistics in ${folder} cannot be opened (${noRoom}). This ends by itself when there is room.`;
    logger.error(`${problem} Until then hits wait in DATA_DIR/hits.`);
  }

  /** Looks for the damaged part that a statement has read. */
  function repair(opened: AnalyticsStore): void {
    if (repairing !== undefined || performance.now() - repairedAtMs < LEAST_REPAIR_INTERVAL_MS) return;
    repairing = putDamagedPartsAside(opened, logger)
      .then((count) => (count > 0 ? lookAside(opened) : undefined))
      .catch((error: unknown) =>
        logger.error({ err: error }, 'damaged parts of the statistics stay in place'),
      )
      .finally(() => {
        repairing = undefined;
        repairedAtMs = performance.now();
      });
  }

  async function end(): Promise<void> {
    closing.abort();
    await work;
    // Ends the wait of a repair.
    const ended = store?.close();
    await repairing;
    await ended;
  }

  const whenOpen = async <Result>(
    statement: (opened: AnalyticsStore) => Promise<Result>,
  ): Promise<Result> => {
    if (store === undefined) throw new AnalyticsStoreError('unavailable', new Error(problem));
    try {
      return await statement(store);
    } catch (error) {
      if (isDamage(error)) repair(store);
      throw error;
    }
  };

  try {
    await open();
  } catch (error) {
    if (error instanceof ConfigError || ending.aborted) throw error;
    const noRoom = await writeProblem(dataDir, START_BYTES);
    fail(error, noRoom);
    if (noRoom !== undefined) work = waitForRoom();
  }
  return {
    kind: 'embedded',
    get problem() {
      return problem;
    },
    get partsAside() {
      return partsAside;
    },
    query: (...statement) => whenOpen((opened) => opened.query(...statement)),
    queryLines: (...statement) => whenOpen((opened) => opened.queryLines(...statement)),
    queryBlocks: (...statement) => whenOpen((opened) => opened.queryBlocks(...statement)),
    insertRows: (insert) => whenOpen((opened) => opened.insertRows(insert)),
    command: (sql, params) => whenOpen((opened) => opened.command(sql, params)),
    ping: () => whenOpen((opened) => opened.ping()),
    close() {
      closed ??= end();
      return closed;
    },
  };
}

/** @throws if a part of the store is missing or unusable; nothing is open then */
async function openWhole(
  dataDir: string,
  folder: string,
  logger: Logger,
  signal: AbortSignal,
): Promise<AnalyticsStore> {
  const missing = await findMissingPart(folder);
  if (missing !== undefined) throw new Error(`${missing} is missing`);
  const store = await openAnalyticsStore({ dataDir });
  try {
    try {
      await migrateAnalyticsStore(store, logger, { signal });
    } catch (error) {
      // The table of the migrations can be damaged like any other. A migration that it no longer lists is applied
      // again.
      if (!isDamage(error) || (await putDamagedPartsAside(store, logger)) === 0) throw error;
      await migrateAnalyticsStore(store, logger, { signal });
    }
    await requireTables(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Checks that all tables of the migrations exist.
 *
 * @throws naming the first missing one
 */
async function requireTables(store: AnalyticsStore): Promise<void> {
  const migrations = await readMigrations(clickhouseMigrationsFolder());
  const made = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^CREATE TABLE IF NOT EXISTS (\w+)/gm)].map(([, name = '']) => name),
  );
  const found = await store.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  );
  const names = new Set(found.map(({ name }) => name));
  const missing = made.find((name) => !names.has(name));
  if (missing !== undefined) throw new Error(`the table ${missing} is missing`);
}

const UUID = /^ATTACH TABLE \S+ UUID '([0-9a-f]{8}-[0-9a-f-]{27})'/;
/** ClickHouse puts it into the folder of every table. */
const TABLE_MARK = 'format_version.txt';

/**
 * Finds tables and files that are missing from an embedded ClickHouse before it is opened. ClickHouse itself would
 * create an empty table, or an empty database, in their place.
 *
 * @returns the missing part; undefined for a folder that is complete, empty or absent
 */
async function findMissingPart(folder: string): Promise<string | undefined> {
  const tables = await tableFolders(folder);
  const definitions = path.join(folder, 'metadata', 'default');
  const names = await readdir(definitions).catch(ignoring('ENOENT'));
  if (names === undefined) return tables.size > 0 ? 'metadata/default' : undefined;
  for (const name of names.filter((entry) => entry.endsWith('.sql'))) {
    const [, uuid] = UUID.exec(await readFile(path.join(definitions, name), 'utf8')) ?? [];
    // ClickHouse does not start with an unreadable definition, so nothing is hidden here.
    if (uuid !== undefined && !tables.has(uuid))
      return `the folder of the table ${name.slice(0, -'.sql'.length)}`;
  }
  return undefined;
}

/** The ids of the tables that have a folder. */
async function tableFolders(folder: string): Promise<Set<string>> {
  const store = path.join(folder, 'store');
  const found = new Set<string>();
  for (const prefix of (await readdir(store).catch(ignoring('ENOENT'))) ?? []) {
    for (const uuid of await readdir(path.join(store, prefix)).catch(() => [])) {
      if (await exists(path.join(store, prefix, uuid, TABLE_MARK))) found.add(uuid);
    }
  }
  return found;
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
