import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../controlplane/http/api.fixture.js';
import { createRulesetBuilder } from '../../controlplane/publishing/ruleset-builder.js';
import { readSnapshot } from '../../controlplane/publishing/ruleset-reading.js';
import {
  createRulesetRepository,
  type RulesetRepository,
} from '../../controlplane/publishing/ruleset-repository.js';
import { createRulesetDocuments, createRulesetRoutes } from '../../controlplane/publishing/ruleset-routes.js';
import { listed } from '../../dataplane/sync/cold/listed.fixture.js';
import { createHttpRulesetSource } from '../../dataplane/sync/http-ruleset-source.js';

const HOSTS = 50_000;
const secretKey = Buffer.from('a secret for tests only');
const logger = pino({ level: 'silent' });
let api: TestApi;
let repository: RulesetRepository;
let url: string;

beforeAll(async () => {
  api = await startApi({
    areas: ({ database }) => {
      repository = createRulesetRepository(database);
      const documents = createRulesetDocuments({
        repository,
        builder: createRulesetBuilder({ repository, logger }),
        buildWaitMs: 60_000,
      });
      return [createRulesetRoutes({ documents, secrets: { current: secretKey, previous: [] } })];
    },
  });
  await api.database.query("INSERT INTO users (id) VALUES ('owner')");
  await api.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value, verified_at)
     SELECT substr(md5(i::text), 1, 16), 'owner', 'host-' || i || '.example',
       'https://new.example/' || md5('to' || i), 'new.example', 'permanent', true, false, 1, 'v', now()
     FROM generate_series(1, $1) AS i`,
    [HOSTS],
  );
  await api.database.query(
    `INSERT INTO rules (redirect_id, name, type, status, priority, conditions, condition_logic, action, created_by)
     SELECT substr(md5(i::text), 1, 16), 'r', 'force', 'active', 1,
       '[{"attribute":"country","operator":"equals","value":"CH"}]', 'AND',
       '{"type":"redirect","url":"https://ch.example"}', 'owner'
     FROM generate_series(1, $1, 10) AS i`,
    [HOSTS],
  );
  url = await api.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => api.close());

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const startMs = performance.now();
  delay.enable();
  const result = await work();
  delay.disable();
  const durationMs = Math.round(performance.now() - startMs);
  process.stdout.write(`${what}: ${durationMs} ms, longest turn ${Math.round(delay.max / 1e6)} ms\n`);
  return result;
}

test(`a data plane reads ${HOSTS} redirects from the control plane as they are in the database`, async () => {
  const patience = { firstByteTimeoutMs: 30_000, wholeTimeoutMs: 60_000 };
  const source = createHttpRulesetSource({ url, secretKey, logger, ...patience });
  const expected = await timed('from the database', () => readSnapshot(repository));
  const first = await timed('first read, with its encoding', () => source.read(undefined));
  expect(first && 'redirects' in first && listed(first)).toEqual(expected);
  const second = await timed('second read', () => source.read(undefined));
  expect(second && 'redirects' in second && listed(second)).toEqual(expected);
  expect(await timed('nothing new', () => source.read(expected.version))).toBeUndefined();
});

test('a data plane with another secret is refused', async () => {
  const stranger = createHttpRulesetSource({
    url,
    secretKey: Buffer.from('another secret of tests'),
    logger,
  });
  await expect(stranger.read(undefined)).rejects.toThrow(/SECRET_KEY differs/);
});
