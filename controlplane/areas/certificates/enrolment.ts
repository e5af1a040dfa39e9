import type { AreaParts } from '../../area.js';
import { type BackgroundWork, createBackgroundWork } from '../../jobs/background-work.js';
import { enrolmentRepository, type LogPosition } from './enrolment-repository.js';

const INTERVAL_MS = 2_000;
const PAGE_SIZE = 1_000;
const ORPHAN_DAYS = 30;
const ORPHAN_INTERVAL_MS = 3_600_000;

export interface EnrolmentDeps extends Pick<AreaParts, 'database' | 'logger'> {
  /** Whether wildcards get certificates. */
  readonly wildcards: boolean;
  /** Called when hosts may have been added. */
  readonly onEnrolled: () => void;
}

/**
 * Adds the hosts of verified redirects to the queue. It follows the log of changes, which every change of a redirect is
 * written to, and reads all redirects at the start and whenever the log does not reach back far enough.
 */
export interface Enrolment extends BackgroundWork {
  /** Reads the log now, unless it is already being read. */
  wake(): void;
}

export function createEnrolment({ database, logger, wildcards, onEnrolled }: EnrolmentDeps): Enrolment {
  let position: LogPosition | undefined;
  let orphansDeletedMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  let isStarted = false;
  let running: Promise<void> | undefined;

  async function readAll(): Promise<void> {
    const head = await enrolmentRepository.readHead(database);
    for (let after: string | undefined = ''; after !== undefined && !isStopping; ) {
      after = await enrolmentRepository.enrolPage(database, after, PAGE_SIZE, wildcards);
      onEnrolled();
    }
    if (!isStopping) position = head;
  }

  async function follow(from: LogPosition): Promise<void> {
    for (let at = from; !isStopping; ) {
      const changes = await enrolmentRepository.readLog(database, at, PAGE_SIZE);
      const [first] = changes;
      const last = changes.at(-1);
      if (first === undefined || last === undefined) return;
      if (first.epoch !== at.epoch || first.seq !== at.seq + 1) return readAll();
      await enrolmentRepository.enrolHosts(
        database,
        [...new Set(changes.map(({ host }) => host))],
        wildcards,
      );
      at = { epoch: last.epoch, seq: last.seq };
      position = at;
      onEnrolled();
    }
  }

  async function runRound(): Promise<void> {
    await (position === undefined ? readAll() : follow(position));
    if (performance.now() - orphansDeletedMs < ORPHAN_INTERVAL_MS) return;
    orphansDeletedMs = performance.now();
    await enrolmentRepository.deleteOrphans(database, ORPHAN_DAYS);
  }

  const run = () => {
    running ??= runRound().finally(() => {
      running = undefined;
    });
    return running;
  };
  const failure = 'hosts that want certificates could not be read; trying again shortly';
  const work = createBackgroundWork({
    intervalMs: INTERVAL_MS,
    runRound: run,
    logger,
    failure,
    beginsAtOnce: true,
  });
  return {
    wake() {
      if (isStarted && !isStopping) run().catch((error: unknown) => logger.warn({ err: error }, failure));
    },
    start() {
      isStarted = true;
      work.start();
    },
    async stop() {
      isStopping = true;
      await work.stop();
      await running?.catch(() => undefined);
    },
  };
}
