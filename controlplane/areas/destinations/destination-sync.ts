import type { Logger } from 'pino';
import { isPageKey } from '../../../shared/paths/published-paths.js';
import { createBackgroundWork, type RoundWork } from '../../jobs/background-work.js';
import type { Database } from '../../storage/postgres/database.js';
import { newId } from '../../storage/postgres/new-id.js';
import { updateLinks } from './destination-links.js';
import { type Progress, progressRepository } from './progress-repository.js';

const INTERVAL_MS = 2_000;
const PAGE_SIZE = 200;
/** Duration of a claim. Afterwards another control plane continues the work. */
const LEASE_SECONDS = 60;

export interface DestinationSyncDeps {
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Keeps the destinations of redirects up to date. It follows the log of changes that data planes get. It reads all
 * redirects once if the log does not reach back far enough. One control plane at a time does this.
 */
export type DestinationSync = RoundWork;

export function createDestinationSync({ database, logger }: DestinationSyncDeps): DestinationSync {
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
    // Read before the log, so that concurrent changes do not look like lost ones.
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
