import type { Logger } from 'pino';
import { unlessAborted } from '../../shared/async/unless-aborted.js';
import type { ControlplaneConfig } from '../../shared/config/config.js';
import type { RulesetSize } from '../../shared/ruleset/replacement.js';
import { type BackgroundStore, openStoreInBackground } from './clickhouse/open-store-in-background.js';
import type { Database } from './postgres/database.js';
import { EmbeddedDatabaseLost, type WhenUnusable } from './postgres/embedded-database-lost.js';
import { openDatabase } from './postgres/open-database.js';

export interface StorageOptions {
  /** Ruleset that data planes of this machine have saved; `unreadable` if it cannot be read. */
  readonly saved: RulesetSize | 'unreadable' | undefined;
  /** Whether a missing or damaged embedded database may be replaced by an empty one in any case. */
  readonly acceptsAnyLoss: boolean;
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/** The database and the statistics, with their schemas up to date; or the statistics and how the database was lost. */
export type Storage =
  | { readonly store: BackgroundStore; readonly database: Database }
  | { readonly store: BackgroundStore; readonly loss: EmbeddedDatabaseLost };

/**
 * Opens both at the same time. If one fails, the other is closed again.
 *
 * @throws the error of the one that cannot be opened, or the reason of the signal
 */
export async function openStorage(
  config: ControlplaneConfig,
  logger: Logger,
  { saved, acceptsAnyLoss, signal }: StorageOptions,
): Promise<Storage> {
  // The process can end while the embedded PostgreSQL is at work, which is JavaScript, but not while the engine of the
  // statistics is.
  const [database, store] = await openBoth(
    unlessAborted(signal, openOrLose(config, logger, whenUnusable(saved, acceptsAnyLoss))),
    openStoreInBackground(config, logger, { signal }),
  );
  return 'loss' in database ? { store, loss: database.loss } : { store, database };
}

/** Returns the reaction to a missing or damaged embedded database. */
function whenUnusable(saved: StorageOptions['saved'], acceptsAnyLoss: boolean): WhenUnusable {
  if (acceptsAnyLoss) return 'replace';
  return saved === 'unreadable' || (saved?.hosts ?? 0) > 0 ? 'refuse' : 'create';
}

async function openOrLose(config: ControlplaneConfig, logger: Logger, reaction: WhenUnusable) {
  try {
    return await openDatabase(config, logger, reaction);
  } catch (error) {
    if (!(error instanceof EmbeddedDatabaseLost)) throw error;
    return { loss: error, close: async () => {} };
  }
}

interface Closable {
  close(): Promise<void>;
}

async function openBoth<A extends Closable, B extends Closable>(
  opening: Promise<A>,
  otherOpening: Promise<B>,
): Promise<[A, B]> {
  const [one, other] = await Promise.allSettled([opening, otherOpening]);
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value];
  if (one.status === 'fulfilled') await one.value.close();
  if (other.status === 'fulfilled') await other.value.close();
  throw one.status === 'rejected' ? one.reason : (other as PromiseRejectedResult).reason;
}
