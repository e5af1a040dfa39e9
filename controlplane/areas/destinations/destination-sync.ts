import type { Logger } from 'pino';
import { isPageKey } from '../../../shared/paths/published-paths.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { updateLinks } from './destination-links.js';

/** A position in the log of changes. */
interface LogPosition {
  readonly epoch: number;
  readonly seq: number;
}

/** Position up to which the destinations of redirects are known. */
interface Progress extends LogPosition {
  /** The last redirect that was read, while all are read; null afterwards. */
  readonly readAfter: string | null;
}

/** SQL for reading redirects and their changes. */
const progressRepository = {
  /** Claims the work, or extends the claim. Resolves to undefined while another control plane has the claim. */
  async claim(source: Queryable, claim: string, leaseSeconds: number): Promise<Progress | undefined> {
    const [row] = await source.query<Progress>(
      `UPDATE destination_progress SET claim = $1, claimed_until = now() + make_interval(secs => $2)
       WHERE claim = $1 OR claimed_until <= now() RETURNING epoch, seq, read_after AS "readAfter"`,
      [claim, leaseSeconds],
    );
    return row;
  },

  async save(source: Queryable, claim: string, { epoch, seq, readAfter }: Progress): Promise<void> {
    await source.query(
      'UPDATE destination_progress SET epoch = $2, seq = $3, read_after = $4 WHERE claim = $1',
      [claim, epoch, seq, readAfter],
    );
  },

  async release(source: Queryable, claim: string): Promise<void> {
    await source.query(
      'UPDATE destination_progress SET claim = NULL, claimed_until = now() WHERE claim = $1',
      [claim],
    );
  },

  async readHead(source: Queryable): Promise<LogPosition> {
    const [row] = await source.query<LogPosition>('SELECT epoch, seq FROM ruleset_head');
    return row ?? { epoch: 0, seq: 0 };
  },

  /** Returns changes after a position, in their order. */
  readLog(
    source: Queryable,
    { epoch, seq }: LogPosition,
    limit: number,
  ): Promise<(LogPosition & { readonly host: string })[]> {
    return source.query(
      'SELECT epoch, seq, host FROM ruleset_changes WHERE (epoch, seq) > ($1, $2) ORDER BY epoch, seq LIMIT $3',
      [epoch, seq, limit],
    );
  },

  /** Returns the redirects of hosts, of all users. */
  async redirectsOf(source: Queryable, hosts: readonly string[]): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      'SELECT id FROM redirects WHERE from_domain = ANY ($1::text[])',
      [[...hosts]],
    );
    return rows.map(({ id }) => id);
  },

  async redirectsAfter(source: Queryable, after: string, limit: number): Promise<string[]> {
    const rows = await source.query<{ id: string }>(
      'SELECT id FROM redirects WHERE id > $1 ORDER BY id LIMIT $2',
      [after, limit],
    );
    return rows.map(({ id }) => id);
  },
};

const INTERVAL_MS = 2_000;
const PAGE_SIZE = 200;
/** Duration of a claim. Afterwards another control plane continues the work. */
const LEASE_SECONDS = 60;

export interface DestinationSyncDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Keeps the destinations of redirects up to date. It follows the log of changes that data planes get. Reads all
 * redirects once if the log does not reach back far enough. One control plane at a time does this.
 */
export function createDestinationSync({ database, logger }: DestinationSyncDeps): RoundWork {
  const claim = newId();

  /** Reads the next page of all redirects. */
  async function readOn(at: Progress, after: string): Promise<Progress> {
    // The log has all changes after this moment.
    const { epoch, seq } = after === '' ? await progressRepository.readHead(database) : at;
    const ids = await progressRepository.redirectsAfter(database, after, PAGE_SIZE);
    await updateLinks(database, ids);
    return { epoch, seq, readAfter: ids.length < PAGE_SIZE ? null : (ids.at(-1) ?? null) };
  }

  /** Follows the log. Resolves to undefined at its end. */
  async function followOn(at: Progress): Promise<Progress | undefined> {
    // Read the head before the log. Otherwise concurrent changes would look like lost ones.
    const head = await progressRepository.readHead(database);
    if (head.epoch === at.epoch && head.seq <= at.seq) return undefined;
    const changes = await progressRepository.readLog(database, at, PAGE_SIZE);
    const [first, last] = [changes[0], changes.at(-1)];
    // Another epoch has new numbers, and old changes are deleted.
    const isGap = first === undefined || first.epoch !== at.epoch || first.seq !== at.seq + 1;
    if (isGap || last === undefined) return { ...head, readAfter: '' };
    const hosts = changes.flatMap(({ host }) => (isPageKey(host) ? [] : [host]));
    const ofPages = changes.flatMap(({ host }) => (isPageKey(host) ? [host.split('/')[1] ?? ''] : []));
    const ids = new Set([...ofPages, ...(await progressRepository.redirectsOf(database, hosts))]);
    for (let start = 0; start < ids.size; start += PAGE_SIZE) {
      await updateLinks(database, [...ids].slice(start, start + PAGE_SIZE));
    }
    return { epoch: last.epoch, seq: last.seq, readAfter: null };
  }

  async function runRound(): Promise<void> {
    while (!work.isStopping()) {
      const at = await progressRepository.claim(database, claim, LEASE_SECONDS);
      if (at === undefined) return;
      const next = at.readAfter === null ? await followOn(at) : await readOn(at, at.readAfter);
      if (next === undefined) return;
      await progressRepository.save(database, claim, next);
    }
  }

  const failure = 'the destinations of redirects could not be read; trying again shortly';
  const work = createBackgroundWork({
    intervalMs: INTERVAL_MS,
    runRound,
    logger,
    failure,
    beginsAtOnce: true,
  });
  return {
    ...work,
    async stop() {
      await work.stop();
      await progressRepository.release(database, claim).catch(() => undefined);
    },
  };
}
