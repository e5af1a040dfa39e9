import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { BackgroundWork } from './jobs/background-work.js';
import type { MailQueue } from './mail/mail-queue.js';
import type { RulesetOutbox } from './publishing/ruleset-outbox.js';
import type { AnalyticsStore } from './storage/clickhouse/analytics-store.js';
import type { Database } from './storage/postgres/database.js';

/** Parts that an area adds to the control plane. */
export interface Area {
  readonly routes: readonly FastifyPluginAsync[];
  readonly jobs: readonly BackgroundWork[];
}

/** Parts that many areas are built from. Each factory picks those that it uses. */
export interface AreaParts {
  readonly database: Database;
  readonly store: AnalyticsStore;
  readonly outbox: RulesetOutbox;
  readonly mails: MailQueue;
  readonly metrics: Registry;
  readonly logger: Logger;
  /** Returns the time in milliseconds since 1970. */
  readonly nowMs: () => number;
}
