import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CurrentUser } from '../../../http/current-user.js';
import {
  type CommitListener,
  createRulesetOutbox,
  type RulesetOutbox,
} from '../../../publishing/ruleset-outbox.js';
import { DatabaseUnavailableError } from '../../../storage/postgres/database-unavailable.js';
import type { TableStatistics } from '../../../storage/postgres/table-statistics.js';
import { createCreateMany } from '../create-many.js';
import { createRedirectChanges } from '../redirect-changes.js';
import { type RedirectsApi, startRedirectsApi } from '../redirects-api.fixture.js';
import { createOperations } from './bulk-operations.js';
import type { BulkReport } from './bulk-schema.js';
import { createBulkService } from './bulk-service.js';
import { createOperationBatches } from './operation-batches.js';

let area: RedirectsApi;

beforeAll(async () => {
  area = await startRedirectsApi();
});
afterAll(() => area.close());

/** Runs a bulk request while the transactions with some numbers, from 1, fail. */
async function runWhileFailing(
  failing: readonly number[],
  count: number,
  { statistics, onCommitted }: { statistics?: TableStatistics; onCommitted?: CommitListener } = {},
) {
  const outbox = createRulesetOutbox(area.api.database);
  if (onCommitted !== undefined) outbox.onCommitted(onCommitted);
  let number = 0;
  const commitAhead: RulesetOutbox['commitAhead'] = (work) => {
    number += 1;
    if (failing.includes(number))
      return Promise.reject(new DatabaseUnavailableError(undefined, 'it is away'));
    return outbox.commitAhead(work);
  };
  const batches = createOperationBatches({
    operations: createOperations(createRedirectChanges()),
    createMany: createCreateMany(() => true),
  });
  const run = createBulkService({
    outbox: { ...outbox, commitAhead },
    batches,
    logger: pino({ level: 'silent' }),
    statistics,
  });
  const { id } = await area.api.createUser();
  const user = { id, plan: { maxRedirects: -1 } } as CurrentUser;
  const operations = Array.from({ length: count }, (_, at) => ({
    fromDomain: `part-${at}.${id}.example`,
    toDomain: 'https://new.example',
  }));
  const options = { mode: 'best_effort', dryRun: false, signal: new AbortController().signal } as const;
  const report = await run(user, operations, options);
  const [row] = await area.api.database.query<{ stored: number }>(
    'SELECT redirect_count AS stored FROM users WHERE id = $1',
    [id],
  );
  return { report, stored: row?.stored };
}

const statusesOf = ({ results }: BulkReport) => new Set(results.map(({ status }) => status));

it('reports the rows that are applied when a later transaction fails, and applies none after it', async () => {
  const { report, stored } = await runWhileFailing([2], 2_500);
  expect(stored).toBe(1_000);
  expect(report).toMatchObject({ applied: true, summary: { total: 2_500, created: 1_000, failed: 1_500 } });
  expect(statusesOf(report)).toEqual(new Set(['created', 'failed']));
  expect(report.results[1_000]).toMatchObject({ row: 1_001, error: { code: 'SERVICE_UNAVAILABLE' } });
  expect(report.results[2_499]).toMatchObject({ row: 2_500, error: { code: 'SERVICE_UNAVAILABLE' } });
});

it('answers when data planes have the changes of all transactions, which go on meanwhile', async () => {
  const order: string[] = [];
  let goOn = () => {};
  const isSecondCommitted = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { report } = await runWhileFailing([], 2_500, {
    statistics: {
      async noteNewRows() {
        if (order.push('committed') === 2) goOn();
      },
    },
    async onCommitted() {
      await isSecondCommitted;
      order.push('carried');
    },
  });
  expect(report.summary.created).toBe(2_500);
  expect(order.slice(0, 2)).toEqual(['committed', 'committed']);
  expect(order.filter((what) => what === 'carried')).toHaveLength(3);
});

it('fails when the first transaction fails', async () => {
  await expect(runWhileFailing([1], 2)).rejects.toBeInstanceOf(DatabaseUnavailableError);
});

it('answers without waiting for new statistics of the tables', async () => {
  const noted: number[] = [];
  const statistics: TableStatistics = {
    noteNewRows(count) {
      noted.push(count);
      return new Promise(() => undefined);
    },
  };
  const { report } = await runWhileFailing([], 1_500, { statistics });
  expect(report).toMatchObject({ applied: true, summary: { created: 1_500 } });
  expect(noted).toEqual([1_000, 500]);
});
