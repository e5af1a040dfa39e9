import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDocumentReader } from '../../shared/ruleset/document-reader.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import { formatVersion } from '../../shared/ruleset/ruleset-version.js';
import { PLANS } from '../accounts/plans.js';
import { type ApiParts, startApi, type TestApi } from '../api.fixture.js';
import { getEncoded } from './encoded-answer.fixture.js';
import { createRulesetDocuments } from './ruleset-documents.js';
import { createRulesetRepository, type RulesetRepository } from './ruleset-repository.js';
import { createRulesetRoutes } from './ruleset-routes.js';

const TOKEN = 'the-token-of-this-installation';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const HOSTS = 1_500;

let api: TestApi;
let url: string;
let snapshotsRead = 0;
/** Done before each snapshot is read. */
let hold: () => Promise<void>;
let nowMs = 0;

/** The repository itself, which counts and can be held up. */
function observed({ database }: ApiParts): RulesetRepository {
  const repository = createRulesetRepository(database);
  return {
    ...repository,
    async readSnapshot() {
      snapshotsRead += 1;
      await hold();
      return repository.readSnapshot();
    },
  };
}

beforeAll(async () => {
  api = await startApi({
    areas: (parts) => {
      const documents = createRulesetDocuments({ repository: observed(parts), nowMs: () => nowMs });
      return [createRulesetRoutes({ documents, token: TOKEN })];
    },
    app: { rateLimit: { defaultPlan: PLANS.free, multiplier: 0.01 } },
  });
  await api.database.query("INSERT INTO users (id) VALUES ('owner')");
  await api.database.query(
    `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
       query_forwarding, sampling_rate, verification_value, verified_at)
     SELECT 'r' || i, 'owner', 'host-' || i || '.example', 'https://new.example', 'new.example', 'permanent', true,
       false, 1, 'v', now() FROM generate_series(1, $1) AS i`,
    [HOSTS],
  );
  url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/internal/ruleset`;
});
afterAll(() => api.close());
beforeEach(() => {
  snapshotsRead = 0;
  // What an earlier test left is not given out any more.
  nowMs += 1_000_000;
  hold = async () => {};
});

/** The version that it makes, as an entity tag has it. */
async function commit(): Promise<string> {
  const [head] = await api.database.query<{ version: string }>(
    `UPDATE ruleset_head SET seq = seq + 1
     RETURNING concat(epoch, '.', seq, '-', database_id, '-', commit_id) AS version`,
  );
  return head!.version;
}

function readDocument(body: Buffer, digest: string | null | undefined) {
  const redirects: RedirectDefinition[] = [];
  const reader = createDocumentReader((redirect) => redirects.push(redirect));
  reader.push(body);
  return { version: reader.end(String(digest)), redirects };
}

describe('the ruleset over HTTP', () => {
  it('is the whole of it, with its version as entity tag and its checksum', async () => {
    const version = await commit();
    const answer = await getEncoded(url, AUTHORIZED);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      etag: `"${version}"`,
      vary: 'Accept-Encoding',
      'cache-control': 'private, no-cache',
      'content-type': 'application/x-ndjson',
    });
    expect(answer.headers['content-encoding']).toBeUndefined();
    const { redirects, version: read } = readDocument(
      answer.body,
      answer.headers['unencoded-digest'] as string,
    );
    expect(`${formatVersion(read)}-${read.lineage}`).toBe(version);
    expect(redirects).toHaveLength(HOSTS);
    expect(redirects[0]).toMatchObject({ host: 'host-1.example', destination: 'https://new.example' });
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)(
    'comes in %s when that is asked for, under an entity tag of its own',
    async (coding, decode) => {
      const version = await commit();
      const plain = await getEncoded(url, AUTHORIZED);
      const answer = await getEncoded(url, { ...AUTHORIZED, 'accept-encoding': coding });
      expect(answer.headers).toMatchObject({ etag: `"${version}-${coding}"`, 'content-encoding': coding });
      expect(answer.body.length).toBeLessThan(plain.body.length / 5);
      expect(decode(answer.body)).toEqual(plain.body);
      const sha256 = createHash('sha256').update(plain.body).digest('base64');
      expect(answer.headers['unencoded-digest']).toBe(`sha-256=:${sha256}:`);
    },
  );

  it('is encoded once, however many ask', async () => {
    await commit();
    const ask = () => fetch(url, { headers: { ...AUTHORIZED, 'accept-encoding': 'gzip' } });
    const answers = await Promise.all(Array.from({ length: 100 }, ask));
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(bodies).size).toBe(1);
    expect(snapshotsRead).toBe(1);
  });

  it('is answered with 304, and not even read, to who has it in whichever coding', async () => {
    const version = await commit();
    for (const tag of [`"${version}"`, `"${version}-gzip"`, `W/"${version}-br"`, `"1.1", "${version}"`]) {
      const answer = await getEncoded(url, { ...AUTHORIZED, 'if-none-match': tag });
      expect(answer).toMatchObject({ status: 304, headers: { etag: `"${version}"` } });
      expect(answer.body).toHaveLength(0);
    }
    expect(snapshotsRead).toBe(0);
    expect(await getEncoded(url, { ...AUTHORIZED, 'if-none-match': '"1.1"' })).toMatchObject({ status: 200 });
  });

  it('is known to an older data plane by its numbers, and to a newer one only by its lineage', async () => {
    const version = await commit();
    const [numbers] = version.split('-');
    const ask = (tag: string) => getEncoded(url, { ...AUTHORIZED, 'if-none-match': `"${tag}"` });
    expect((await ask(`${numbers}`)).status).toBe(304);
    expect((await ask(`${numbers}-0123456789ab-0123456789ab`)).status).toBe(200);
  });

  it('is a new one after a commit', async () => {
    const [first, second] = [await commit(), await commit()];
    expect(first).not.toBe(second);
    const before = await getEncoded(url, AUTHORIZED);
    const third = await commit();
    const after = await getEncoded(url, AUTHORIZED);
    expect([before.headers.etag, after.headers.etag]).toEqual([`"${second}"`, `"${third}"`]);
    expect(snapshotsRead).toBe(2);
  });

  it('is the one being made for who asks meanwhile, be there commits all the time', async () => {
    await commit();
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    hold = () => opened;
    const first = getEncoded(url, AUTHORIZED);
    await expect.poll(() => snapshotsRead).toBe(1);
    const newest = await commit();
    const second = getEncoded(url, AUTHORIZED);
    open();
    expect((await first).headers.etag).toBe(`"${newest}"`);
    expect((await second).status).toBe(200);
    expect(snapshotsRead).toBe(1);
  });

  it('is kept through further commits for as long as it took to make, where that is long', async () => {
    const first = await commit();
    hold = async () => {
      nowMs += 20_000;
    };
    const known = await getEncoded(url, AUTHORIZED);
    expect(known.headers.etag).toBe(`"${first}"`);
    const second = await commit();
    nowMs += 19_999;
    expect((await getEncoded(url, AUTHORIZED)).headers.etag).toBe(`"${first}"`);
    const unchanged = await getEncoded(url, { ...AUTHORIZED, 'if-none-match': `"${first}"` });
    expect(unchanged).toMatchObject({ status: 304, headers: { etag: `"${first}"` } });
    nowMs += 1;
    expect((await getEncoded(url, AUTHORIZED)).headers.etag).toBe(`"${second}"`);
  });

  it('can be asked for again after it could not be read', async () => {
    await commit();
    hold = () => Promise.reject(new Error('the database is gone'));
    const failed = await getEncoded(url, AUTHORIZED);
    expect(failed.status).toBe(500);
    expect(failed.body.toString()).not.toContain('database is gone');
    hold = async () => {};
    expect((await getEncoded(url, AUTHORIZED)).status).toBe(200);
  });
});

describe('who may read the ruleset', () => {
  it.each([
    ['nobody without a token', {}, 'MISSING_TOKEN'],
    ['nobody with an empty header', { authorization: '' }, 'MISSING_TOKEN'],
    ['nobody with another token', { authorization: `Bearer ${TOKEN}x` }, 'INVALID_TOKEN'],
    ['nobody with the token cut short', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 'INVALID_TOKEN'],
    ['nobody with another scheme', { authorization: `Basic ${TOKEN}` }, 'INVALID_TOKEN'],
    ['nobody with an empty token', { authorization: 'Bearer ' }, 'INVALID_TOKEN'],
  ])('is %s', async (_name, headers, code) => {
    const { status, body } = await getEncoded(url, headers);
    expect(status).toBe(401);
    expect(JSON.parse(body.toString())).toEqual({ error: { code, message: expect.any(String) } });
    expect(snapshotsRead).toBe(0);
  });

  it('is no user, whatever their scopes', async () => {
    const { token } = await api.createUser();
    expect((await getEncoded(url, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('is a data plane as often as it likes', async () => {
    for (let i = 0; i < 20; i += 1) expect((await getEncoded(url, AUTHORIZED)).status).toBe(200);
  });

  it('is not told by the documentation of the API', async () => {
    const { body } = await api.app.inject('/openapi.json');
    expect(body).not.toContain('internal');
  });
});
