import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountLinks } from '../../areas/accounts/account-link.js';
import { deletionRepository } from '../../areas/accounts/deletion-repository.js';
import { certificateRepository } from '../../areas/certificates/certificate-repository.js';
import { draftRepository } from '../../areas/drafts/draft-repository.js';
import { exampleRepository } from '../../areas/examples/example-repository.js';
import { AUDIT_ACTIONS, RESOURCE_TYPES } from '../../areas/history/audit-entry.js';
import { historyRepository } from '../../areas/history/history-repository.js';
import { importRepository } from '../../areas/imports/import-repository.js';
import { replayRepository } from '../../areas/replay/replay-repository.js';
import { packText } from '../packed-text.js';
import type { Queryable } from './database.js';
import { recordStatements, scannedTables } from './recorded-statements.fixture.js';
import { openTestDatabase, type TestDatabase } from './test-database.fixture.js';

const ROWS = 20_000;
const LARGE_TABLES = [
  'users',
  'redirects',
  'audit_log',
  'redirect_versions',
  'redirect_drafts',
  'redirect_examples',
  'replays',
  'imports',
  'certificates',
  'account_deletions',
  'account_links',
];

let test: TestDatabase;

beforeAll(async () => {
  test = await openTestDatabase();
  const rows = `FROM generate_series(1, ${ROWS}) i`;
  const content = (await packText('{}')).toString('hex');
  await test.database.script(`
    INSERT INTO users (id, email) SELECT 'u' || i, 'u' || i || '@example.com' ${rows};
    INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
        query_forwarding, sampling_rate, verification_value, verified_at)
      SELECT 'r' || i, 'u' || i, 'd' || i || '.example', 'https://t' || i || '.example', 't' || i || '.example',
        'permanent', false, false, 1, 'value', now() ${rows};
    INSERT INTO audit_log (user_id, action, resource_type, resource_id, resource_count, summary)
      SELECT 'u' || 1 + i % 2000, 'redirect.updated', 'redirect', 'r' || i, 1, 's' ${rows};
    INSERT INTO redirect_versions (redirect_id, version, audit_id) SELECT 'r' || i, 1, i ${rows};
    INSERT INTO redirect_drafts (redirect_id, user_id, content, base_version, written_by, publish_at)
      SELECT 'r' || i, 'u' || i, decode('${content}', 'hex'), 1, '{}', CASE WHEN i % 1000 = 0 THEN now() + interval '1 day' END ${rows};
    INSERT INTO redirect_examples (redirect_id, examples) SELECT 'r' || i, '[]' ${rows};
    INSERT INTO replays (id, user_id, redirect_id, spec, state, finished_at)
      SELECT 'rp' || i, 'u' || i, 'r' || i, '{}', 'finished', now() ${rows};
    INSERT INTO imports (id, user_id, kind, format, mode, dry_run, state, finished_at)
      SELECT 'im' || i, 'u' || i, 'redirects', 'csv', 'best_effort', false, 'finished', now() ${rows};
    INSERT INTO certificates (host, user_id, source, state, next_attempt_at)
      SELECT 'd' || i || '.example', 'u' || i, 'acme', 'waiting_for_dns', now() + interval '1 day' ${rows};
    INSERT INTO account_deletions (user_id, erase_at)
      SELECT 'u' || i, now() + interval '1 day' FROM generate_series(1, 5000) i;
    INSERT INTO account_links (token_hash, purpose, email, expires_at)
      SELECT sha256(i::text::bytea), 'signup', 'n' || i || '@example.com', now() + interval '1 day' ${rows};
    ANALYZE ${LARGE_TABLES.join(', ')};
  `);
}, 120_000);
afterAll(() => test.close());

const ALL = { types: RESOURCE_TYPES, actions: AUDIT_ACTIONS, since: undefined, until: undefined };
const FIRST = { at: 'infinity', id: '9223372036854775807' };

const STATEMENTS: Readonly<Record<string, (source: Queryable) => Promise<unknown>>> = {
  'a page of the audit log': (source) =>
    historyRepository.audit(source, 'u7', { ...ALL, resourceId: undefined }, FIRST, 50),
  'a page of the audit log of a redirect': (source) =>
    historyRepository.audit(source, 'u7', { ...ALL, resourceId: 'r6' }, FIRST, 50),
  'a page of versions': (source) => historyRepository.versions(source, 'r7', 2 ** 31 - 1, 50),
  'the oldest entries of users': (source) => historyRepository.oldestEntries(source, 'u1', 100),
  'deleting old entries': (source) => historyRepository.deleteBefore(source, 'u7', '2020-01-01', 100),
  'a draft': (source) => draftRepository.find(source, 'r7'),
  'drafts to publish': (source) => draftRepository.claimDue(source, 60),
  examples: (source) => exampleRepository.find(source, 'r7'),
  'a replay': (source) => replayRepository.find(source, 'rp7'),
  'open replays of a user': (source) => replayRepository.countOpen(source, 'u7'),
  'a replay to work on': (source) => replayRepository.claim(source, 'p', 60),
  'an import': (source) => importRepository.find(source, 'im7'),
  'open imports of a user': (source) => importRepository.countOpen(source, 'u7'),
  'an import to work on': (source) => importRepository.claim(source, 'p', 60),
  'certificates of hosts': (source) => certificateRepository.findByHosts(source, ['d7.example']),
  'certificates about to expire': (source) => certificateRepository.takeExpiring(source, 100),
  'accounts to erase': (source) => deletionRepository.claimDue(source, { last: [], except: [] }),
  'subscriptions to cancel': (source) => deletionRepository.cancelsDue(source, 20),
  'a signup that waits for its link': (source) => accountLinks.waitingSignup(source, 'n7@example.com'),
};

it.each(Object.entries(STATEMENTS))('%s reads no large table as a whole', async (_what, run) => {
  const recorded = recordStatements(test.database);
  await recorded.database.transaction(run);
  const statements = recorded.take();
  expect(statements.size).toBeGreaterThan(0);
  for (const [sql, params] of statements) {
    expect(await scannedTables(test.database, sql, params, LARGE_TABLES), sql).toEqual([]);
  }
});
