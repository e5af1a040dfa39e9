import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ControlplaneConfig } from '../shared/config/config.js';
import type { DataplaneReport } from '../shared/ruleset/dataplane-report.js';
import type { RulesetSize } from '../shared/ruleset/replacement.js';
import type { RulesetFeed } from '../shared/ruleset/ruleset-feed.js';
import type { Accounts } from './areas/accounts/public.js';
import type { ApiAddress } from './http/listen.js';
import type { BackupEntry } from './storage/backup/backup-entry.js';
import type { AnalyticsStore } from './storage/clickhouse/analytics-store.js';

export interface ControlplaneDeps {
  readonly config: ControlplaneConfig;
  readonly logger: Logger;
  readonly version: string;
  /** Ends the opening of databases. The process is to end then: the embedded PostgreSQL may be left half open. */
  readonly signal: AbortSignal;
  /** Makes `/readyz` answer 503 when it is aborted, before anything is closed. */
  readonly leaving?: AbortSignal;
  /** Whether data planes run beside it with the same DATA_DIR, and so with its key. Default: no. */
  readonly hasOwnDataplanes?: boolean;
  /** Ruleset that those data planes have saved; `unreadable` if it cannot be read. Default: none. */
  readonly saved?: RulesetSize | 'unreadable' | undefined;
  /** Whether the database may replace any ruleset that is served, and an embedded one be made anew. Default: no. */
  readonly acceptsAnyLoss?: boolean;
}

export interface Controlplane {
  readonly accounts: Pick<Accounts, 'bootstrap' | 'createSignInCode'>;
  /** Returns why nothing is published and nothing can be changed; undefined in normal operation. */
  refusal(): string | undefined;
  /** Whether it stands in until its disk can be written to; another one can be opened then. */
  readonly waitsForRoom: boolean;
  /** Rulesets for a data plane that this process feeds itself. */
  createFeed(): RulesetFeed;
  /** The analytics store. Shared with in-process ingestion; closed by `stop()`. */
  readonly store: AnalyticsStore;
  /** Metrics that the API exposes to Prometheus. */
  readonly metrics: Registry;
  /** Entries of the embedded databases in a backup; undefined while the database is lost. */
  readonly backupEntries: (() => AsyncIterable<BackupEntry>) | undefined;
  /** Hears from a data plane that this process runs itself. */
  takeReport(report: DataplaneReport): void;
  /** Hears that hits of these redirects were stored by this process. */
  noteHits(redirectIds: readonly string[]): void;
  /**
   * Begins to listen and to work in the background. Resolves to where the API listens.
   *
   * @throws {ConfigError} when the port cannot be had
   */
  start(): Promise<ApiAddress>;
  /** Answers what is under way, and ends the work in the background; the store goes on taking hits. */
  retire(): Promise<void>;
  /** Retires, unless that was done, and then closes everything. The first caller receives the errors. */
  stop(): Promise<void>;
}
