import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deriveInternalToken } from '../../shared/config/internal-token.js';
import { changesIn, openChunk } from '../../shared/ruleset/ruleset-chunk.js';
import { decodeDelta } from '../../shared/ruleset/ruleset-codec.js';
import { decodeDocumentHead } from '../../shared/ruleset/ruleset-document.js';
import type { RulesetChange } from '../../shared/ruleset/ruleset-feed.js';
import { formatIdentity } from '../../shared/ruleset/ruleset-version.js';
import { PLANS } from '../areas/plans/default-plans.js';
import { type ApiParts, startApi, type TestApi } from '../http/api.fixture.js';
import { getEncoded } from './encoded-answer.fixture.js';
import { createRulesetBuilder } from './ruleset-builder.js';
import { createRulesetOutbox } from './ruleset-outbox.js';
import { createRulesetRepository, type RulesetRepository } from './ruleset-repository.js';
import { createRulesetDocuments, createRulesetRoutes } from './ruleset-routes.js';

const SECRETS = { current: Buffer.from('the secret of this installation'), previous: [] };
const TOKEN = deriveInternalToken(SECRETS.current);
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const HOSTS = 1_500;
const PATIENT_MS = 30_000;

let api: TestApi;
let url: string;
/** Done before each page of the ruleset is read. */
let hold: () => Promise<void>;
let pagesRead = 0;

function documentsOf({ database }: ApiParts, buildWaitMs: number) {
  const repository = createRulesetRepository(database);
  const observed: RulesetRepository = {
    ...repository,
    async readPage(after, limit) {
      pagesRead += 1;
      await hold();
      return repository.readPage(after, limit);
    },
  };
  const builder = createRulesetBuilder({ repository: observed, logger: pino({ level: 'silent' }) });
  return createRulesetDocuments({ repository, builder, buildWaitMs });
}

beforeAll(async () => {
  api = await startApi({
    areas: (parts) => [createRulesetRoutes({ documents: documentsOf(parts, PATIENT_MS), secrets: SECRETS })],
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
  pagesRead = 0;
  hold = async () => {};
});

/** Changes a host. @returns the version that it makes, as `formatIdentity` writes it */
async function commit(): Promise<string> {
  await createRulesetOutbox(api.database).commit(async (_tx, record) => record('host-1.example'));
  return formatIdentity(await createRulesetRepository(api.database).readHead());
}

async function get(query = ''): Promise<Response> {
  return fetch(`${url}${query}`, { headers: AUTHORIZED });
}

async function readWhole(answer: Response) {
  const body = Buffer.from(await answer.arrayBuffer());
  const end = body.indexOf('\n') + 1;
  const { manifest, sizes } = decodeDocumentHead(body.toString('utf8', 0, end));
  const served = new Map<string, RulesetChange['redirect']>();
  let at = end;
  for (const [index, size] of sizes.entries()) {
    const lines = await openChunk(body.subarray(at, at + size), manifest.chunks[index]!, true);
    for (const change of changesIn(lines))
      if (!('refusal' in change)) served.set(change.host, change.redirect);
    at += size;
  }
  return { version: formatIdentity(manifest.version), served };
}

describe('the ruleset over HTTP', () => {
  it('is the whole of it for who has nothing', async () => {
    const version = await commit();
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/vnd.waymark.ruleset');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const read = await readWhole(answer);
    expect(read.version).toBe(version);
    expect(read.served.size).toBe(HOSTS);
    expect(read.served.get('host-1.example')).toMatchObject({ destination: 'https://new.example' });
  });

  it('is a delta for who has a version that the change log reaches back to', async () => {
    const [since, version] = [await commit(), await commit()];
    const answer = await get(`?since=${encodeURIComponent(since)}`);
    expect(answer.headers.get('content-type')).toBe('application/vnd.waymark.ruleset-delta');
    const delta = decodeDelta(await answer.text());
    expect(formatIdentity(delta.version)).toBe(version);
    expect(delta.changes.map(({ host }) => host)).toEqual(['host-1.example']);
    expect(pagesRead).toBe(0);
  });

  it('is nothing for who has the newest', async () => {
    const answer = await get(`?since=${encodeURIComponent(await commit())}`);
    expect(answer.status).toBe(204);
    expect(pagesRead).toBe(0);
  });

  it.each(['1.1', '1.1 0123456789ab-0123456789ab', 'nonsense'])(
    'is the whole of it for who has %s, which leads nowhere',
    async (since) => {
      const version = await commit();
      const answer = await get(`?since=${encodeURIComponent(since)}`);
      expect((await readWhole(answer)).version).toBe(version);
    },
  );

  it('is read from the database once, however many ask, and then only what changed', async () => {
    await commit();
    const answers = await Promise.all(Array.from({ length: 30 }, () => get()));
    const read = await Promise.all(answers.map(readWhole));
    expect(new Set(read.map(({ version }) => version)).size).toBe(1);
    const before = pagesRead;
    const version = await commit();
    expect((await readWhole(await get())).version).toBe(version);
    expect(pagesRead).toBe(before);
  });
});

describe('the ruleset over HTTP that is being built', () => {
  it('is answered with 503 and how far it is, and is there later', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    hold = () => opened;
    const other = await startApi({
      areas: (parts) => [createRulesetRoutes({ documents: documentsOf(parts, 20), secrets: SECRETS })],
    });
    onTestFinished(() => other.close());
    const ask = () => other.app.inject({ url: '/internal/ruleset', headers: AUTHORIZED });
    const early = await ask();
    expect(early.statusCode).toBe(503);
    expect(early.json()).toMatchObject({
      error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('being built') },
    });
    open();
    await vi.waitFor(async () => expect((await ask()).statusCode).toBe(200), { timeout: 60_000 });
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
    expect(pagesRead).toBe(0);
  });

  it('is no user, whatever their scopes', async () => {
    const { token } = await api.createUser();
    expect((await getEncoded(url, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('is a data plane as often as it likes', async () => {
    for (let i = 0; i < 20; i += 1) expect((await getEncoded(url, AUTHORIZED)).status).toBe(200);
  });

  it('is absent from the documentation of the API', async () => {
    const { body } = await api.app.inject('/openapi.json');
    expect(body).not.toContain('internal');
  });
});
