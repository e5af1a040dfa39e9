import { setTimeout as delay } from 'node:timers/promises';
import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Logger } from 'pino';
import { messageOf } from '../../../shared/process/error-facts.js';
import { START_BYTES, writeProblem } from '../../../shared/process/write-problem.js';
import { asDatabaseError, DatabaseUnavailableError } from './database-unavailable.js';
import { keepPlans } from './embedded-plans.js';

const RETRY_INTERVAL_MS = 2_000;
/** PostgreSQL's severities after which its process ends. */
const ENDS = new Set(['PANIC', 'FATAL']);

/** The part of PGlite's client that is used. Errors are as `asDatabaseError` makes them. */
export interface RevivingCluster extends Pick<PGlite, 'exec' | 'query' | 'close'> {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

export interface RevivingClusterDeps {
  readonly folder: string;
  /** Opens the cluster in `folder`. */
  readonly open: () => Promise<PGlite>;
  readonly logger: Logger;
  readonly retryIntervalMs?: number;
}

/**
 * Opens a cluster. Opens it again after PostgreSQL has terminated because it could not write its WAL or a checkpoint.
 * Refuses statements as unavailable until then, because a statement to a terminated PGlite would silently end this
 * process.
 *
 * @throws the errors of `open`
 */
export async function openRevivingCluster(deps: RevivingClusterDeps): Promise<RevivingCluster> {
  const { folder, open, logger, retryIntervalMs = RETRY_INTERVAL_MS } = deps;
  const closing = new AbortController();
  let reviving: Promise<void> = Promise.resolve();
  let client = await openGuarded();

  async function openGuarded(): Promise<PGlite> {
    return refuseAfterItsEnd(keepPlans(await open()), (error) => {
      logger.error(
        { err: error },
        'the embedded PostgreSQL has ended; it is opened again when there is room',
      );
      reviving = revive();
    });
  }

  async function revive(): Promise<void> {
    for (;;) {
      await delay(retryIntervalMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return;
      if ((await writeProblem(folder, START_BYTES)) !== undefined) continue;
      try {
        client = await openGuarded();
        logger.info('the embedded PostgreSQL is open again');
        return;
      } catch (error) {
        logger.error({ problem: messageOf(error) }, 'the embedded PostgreSQL cannot be opened again');
      }
    }
  }

  const named = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw asDatabaseError(error);
    }
  };

  return {
    query: (...statement) => named(client.query(...statement)),
    exec: (...statement) => named(client.exec(...statement)),
    transaction: (work) => named(client.transaction(work)),
    async close() {
      closing.abort();
      await reviving;
      // One that has ended is not there to be closed.
      if (!ended.has(client)) await client.close();
    },
  };
}

/** Clients whose PostgreSQL has ended. */
const ended = new WeakSet<PGlite>();

/** Has `client` refuse every message after its PostgreSQL has ended, those of a rollback included. */
function refuseAfterItsEnd(client: PGlite, onEnd: (error: unknown) => void): PGlite {
  let end: unknown;
  const note = (error: unknown) => {
    if (end !== undefined) return;
    end = error;
    ended.add(client);
    onEnd(error);
  };
  const { execProtocolRawSync, execProtocol, execProtocolStream } = client;
  client.execProtocolRawSync = (message) => {
    if (end !== undefined) throw unavailable(end);
    try {
      return execProtocolRawSync.call(client, message);
    } catch (error) {
      // Errors of statements are not thrown here: WebAssembly itself has failed.
      note(error);
      throw error;
    }
  };
  const watching =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await run.apply(client, args);
      } catch (error) {
        if (endsProcess(error)) note(error);
        throw error;
      }
    };
  client.execProtocol = watching(execProtocol);
  client.execProtocolStream = watching(execProtocolStream);
  return client;
}

function unavailable(end: unknown): unknown {
  const named = asDatabaseError(end);
  return named instanceof DatabaseUnavailableError ? named : new DatabaseUnavailableError(end);
}

function endsProcess(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('severity' in error)) return false;
  return typeof error.severity === 'string' && ENDS.has(error.severity);
}
