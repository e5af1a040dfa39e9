import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { readUsedDestinations } from './used-destinations.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
  await test.database.query("INSERT INTO users (id, email) VALUES ('u', 'u@example.com')");
  await test.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding, query_forwarding, sampling_rate,
       verification_value, verified_at, path_count)
     SELECT id, 'u', id || '.example', 'https://new.example', 'new.example', 'permanent', false, false, 1, id, now(), paths
     FROM (VALUES ('without', 0), ('with', 1)) AS given (id, paths)`,
  );
});
afterAll(() => test.close());

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns how often the statement for a redirect looks into a relation. */
async function looksInto(relation: string, redirectId: string): Promise<number> {
  let loops = 0;
  const count = (node: PlanNode): void => {
    if (node['Relation Name'] === relation) loops += node['Actual Loops'];
    node.Plans?.forEach(count);
  };
  const explaining: Queryable = {
    async query(sql, params) {
      const [row] = await test.database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        params,
      );
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) count(Plan);
      return [];
    },
  };
  await readUsedDestinations(explaining, [redirectId]);
  return loops;
}

it('looks for entries of redirects that have some, and of no others', async () => {
  expect(await looksInto('redirects', 'without')).toBeGreaterThan(0);
  expect(await looksInto('path_entries', 'without')).toBe(0);
  expect(await looksInto('path_entries', 'with')).toBe(1);
});
