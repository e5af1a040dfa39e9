import { Readable } from 'node:stream';
import { pino } from 'pino';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { CurrentUser } from '../../http/current-user.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { PLANS } from '../plans/default-plans.js';
import { createRedirects, operationTable } from '../redirects/public.js';
import type { ImportOptions } from './import.js';
import { createImportService } from './import-service.js';
import { createStoreUpload } from './import-upload.js';
import { createImports } from './imports.js';

// Runs the imports of a control plane in a separate process, for tests that kill it.

/** A statement at which the process stops and sends a message. */
export interface Hold {
  /** Part of its text. */
  readonly statement: string;
  /** Number of the statement among those with this text, from 1. */
  readonly number: number;
  readonly when: 'before' | 'after';
}

export interface ImportProcessOptions {
  readonly databaseUrl: string;
  readonly userId: string;
  readonly mode: ImportOptions['mode'];
  /** Lines of a CSV file. */
  readonly rows: number;
  readonly hold: Hold;
}

const { databaseUrl, userId, mode, rows, hold } = JSON.parse(process.argv[2] ?? '') as ImportProcessOptions;
const logger = pino({ level: 'silent' });
const opened = await openDatabase({ databaseUrl, dataDir: '' }, logger);
let number = 0;

async function standStill(): Promise<void> {
  process.send?.('standing still');
  await new Promise(() => undefined);
}

function held(queryable: Queryable): Queryable {
  return {
    async query<Row extends object>(sql: string, params?: readonly unknown[]) {
      const isHeld = sql.includes(hold.statement) && ++number === hold.number;
      if (isHeld && hold.when === 'before') await standStill();
      const result = await queryable.query<Row>(sql, params);
      if (isHeld) await standStill();
      return result;
    },
  };
}

const database: Database = {
  ...opened,
  ...held(opened),
  transaction: (work, options) => opened.transaction((tx) => work(held(tx)), options),
};

const outbox = createRulesetOutbox(database);
const redirects = createRedirects({
  database,
  outbox,
  dnsServers: ['127.0.0.1:1'],
  allowLocalhost: true,
  usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
  certificatesOf: async () => new Map(),
  ownerMails: createOwnerMails({ enqueue: async () => undefined }),
  logger,
});
const { runner } = createImports({
  database,
  outbox,
  redirects: redirects.service,
  batches: redirects.batches,
  mergePaths: () => Promise.reject(new Error('no paths are imported')),
  planOf: async () => PLANS.business,
  logger,
});
const store = createStoreUpload(database, { redirects: operationTable, paths: operationTable });
const lines = Array.from(
  { length: rows },
  (_, row) => `h${row}.${userId}.example,https://new.example/${row}\n`,
);
const options: ImportOptions = {
  kind: 'redirects',
  format: 'csv',
  mode,
  dryRun: false,
  collapse: false,
  force: false,
  onExisting: 'fail',
  redirectId: null,
};
const user: CurrentUser = { id: userId, email: null, scopes: [], plan: PLANS.business };
const file = await store(
  { user, options, host: undefined, pathOptions: DEFAULT_PATH_OPTIONS, mayBeRetry: false },
  Readable.from(['fromDomain,toDomain\n', ...lines].map((line) => Buffer.from(line))),
  undefined,
);
await createImportService(database).enqueue(userId, file);
await runner.runRound();
process.send?.('done');
