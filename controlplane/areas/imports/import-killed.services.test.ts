import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../../shared/config/package-root.js';
import { processEnvironment } from '../../../shared/config/process-environment.js';
import type { TestUser } from '../../http/api.fixture.js';
import type { Database } from '../../storage/postgres/database.js';
import { openDatabase } from '../../storage/postgres/open-database.js';
import { createTestSchema } from '../../storage/postgres/test-database.fixture.js';
import { PLANS } from '../plans/default-plans.js';
import { type ImportOptions, ROWS_PER_PART } from './import.js';
import type { Hold, ImportProcessOptions } from './import-process.fixture.js';
import { type ImportsApi, startImportsApi } from './imports-api.fixture.js';

const ENTRY = path.join(packageRoot(), 'dist/controlplane/areas/imports/import-process.fixture.js');
/** Three full parts and a partial one. */
const ROWS = 3 * ROWS_PER_PART + 500;

let schema: Awaited<ReturnType<typeof createTestSchema>>;
let database: Database;
let area: ImportsApi;

beforeAll(async () => {
  schema = await createTestSchema(processEnvironment().DATABASE_URL ?? '');
  database = await openDatabase({ databaseUrl: schema.databaseUrl, dataDir: '' }, pino({ level: 'silent' }));
  area = await startImportsApi(PLANS.business, database);
});
afterAll(async () => {
  await area.close();
  await database.close();
  await schema.drop();
});

/** Uploads and applies a file in another process, and kills the process at the held statement. */
async function killAt(hold: Hold, mode: ImportOptions['mode']): Promise<TestUser> {
  const user = await area.api.createUser({ plan: 'business' });
  await area.api.call('POST', '/webhook-endpoints', {
    token: user.token,
    body: { url: 'https://hooks.example/waymark', events: ['import.finished'] },
  });
  const { databaseUrl } = schema;
  const options: ImportProcessOptions = { databaseUrl, userId: user.id, mode, rows: ROWS, hold };
  const child = fork(ENTRY, [JSON.stringify(options)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [message] = await once(child, 'message');
  expect(message).toBe('standing still');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return user;
}

interface Stored {
  readonly state: string;
  readonly position: number;
  readonly created: number;
  readonly failed: number;
  readonly redirects: number;
  readonly domains: number;
  readonly versions: number;
  readonly messages: number;
}

async function read({ id }: TestUser): Promise<Stored | undefined> {
  const [row] = await database.query<Stored>(
    `SELECT state, next_position AS position, created, failed,
       (SELECT count(*) FROM redirects WHERE user_id = $1) AS redirects,
       (SELECT count(DISTINCT from_domain) FROM redirects WHERE user_id = $1) AS domains,
       (SELECT count(*) FROM redirect_versions JOIN redirects ON redirects.id = redirect_id WHERE user_id = $1) AS versions,
       (SELECT count(*) FROM webhook_deliveries JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id
        WHERE user_id = $1) AS messages
     FROM imports WHERE user_id = $1`,
    [id],
  );
  return row;
}

/**
 * Lets another control plane do the rest. Ends the claim now, which would expire some seconds later. The update waits
 * until PostgreSQL has rolled back the killed process's transaction.
 */
async function goOn({ id }: TestUser): Promise<void> {
  await database.query("UPDATE imports SET claimed_until = now() - interval '1 second' WHERE user_id = $1", [
    id,
  ]);
  await area.createRunner().runRound();
}

const done = {
  state: 'finished',
  created: ROWS,
  failed: 0,
  redirects: ROWS,
  domains: ROWS,
  versions: ROWS,
  messages: 1,
};

/** Phase, statement, and the parts that are applied when the process is killed. */
const phases: readonly (readonly [phase: string, hold: Hold, parts: number])[] = [
  ['an import is claimed', { statement: "SET state = 'running', started_at", number: 1, when: 'after' }, 0],
  ['rows are checked', { statement: 'INSERT INTO redirects', number: 1, when: 'before' }, 0],
  ['a part is applied', { statement: 'INSERT INTO redirects', number: 2, when: 'after' }, 1],
  [
    'the outcome of a part is noted',
    { statement: 'UPDATE imports SET next_position', number: 3, when: 'after' },
    2,
  ],
  [
    'the last part is applied',
    { statement: 'UPDATE imports SET next_position', number: 4, when: 'before' },
    3,
  ],
  ['the end is noted', { statement: 'UPDATE imports SET state = $2', number: 1, when: 'before' }, 4],
  ['the end is not committed', { statement: 'UPDATE imports SET state = $2', number: 1, when: 'after' }, 4],
];

it.each(phases)(
  'an import that is killed while %s goes on: no row is applied twice, and none is lost',
  async (_, hold, parts) => {
    const user = await killAt(hold, 'best_effort');
    const stored = await read(user);
    const rows = Math.min(parts * ROWS_PER_PART, ROWS);
    expect(stored).toMatchObject({
      state: 'running',
      position: parts,
      created: rows,
      redirects: rows,
      versions: rows,
      messages: 0,
    });
    await goOn(user);
    expect(await read(user)).toMatchObject(done);
  },
);

it('an import that is killed after its end was committed is not applied again', async () => {
  const user = await killAt({ statement: 'SET claimed_by = NULL', number: 1, when: 'before' }, 'best_effort');
  expect(await read(user)).toMatchObject(done);
  await goOn(user);
  expect(await read(user)).toMatchObject(done);
});

it.each([
  ['rows are applied', { statement: 'INSERT INTO redirects', number: 3, when: 'after' }],
  ['the end is not committed', { statement: 'UPDATE imports SET state = $2', number: 1, when: 'after' }],
] as const)('an import of all or nothing that is killed while %s begins again', async (_, hold) => {
  const user = await killAt(hold, 'all_or_nothing');
  expect(await read(user)).toMatchObject({
    state: 'running',
    position: 0,
    created: 0,
    redirects: 0,
    messages: 0,
  });
  await goOn(user);
  expect(await read(user)).toMatchObject(done);
});

it.each([
  ['it arrives', { statement: 'INSERT INTO import_parts', number: 2, when: 'after' }],
  ['it is queued', { statement: "SET state = 'queued'", number: 1, when: 'after' }],
] as const)('a file that is killed while %s is never applied, and can be sent again', async (_, hold) => {
  const user = await killAt(hold, 'best_effort');
  expect(await read(user)).toMatchObject({ state: 'receiving', redirects: 0 });
  await goOn(user);
  expect(await read(user)).toMatchObject({ state: 'receiving', redirects: 0, messages: 0 });
  expect(await area.get(user, '/imports')).toMatchObject({ data: [] });
  const lines = Array.from(
    { length: ROWS },
    (_, row) => `h${row}.${user.id}.example,https://new.example/${row}`,
  );
  const again = await area.run(user, 'format=csv', ['fromDomain,toDomain', ...lines].join('\n'));
  expect(again).toMatchObject({ state: 'finished', rows: { total: ROWS, created: ROWS, failed: 0 } });
});
