import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DataplaneReport } from '../../shared/ruleset/dataplane-report.js';
import { startApi, type TestApi } from '../http/api.fixture.js';
import { SCOPES } from '../http/scopes.js';
import { reportOf } from './dataplane-report.fixture.js';
import { createDataplaneRoutes } from './dataplane-routes.js';
import type { ProducerAccount } from './producer-accounts.js';
import { createRulesetRepository } from './ruleset-repository.js';

let api: TestApi;
let operatorToken: string;
let list: () => Promise<readonly DataplaneReport[]>;
let readProducers: () => Promise<readonly ProducerAccount[]>;
const HEAD = { epoch: 1_700_000_000, seq: 12 };

beforeAll(async () => {
  api = await startApi({
    areas: ({ database, accounts }) => [
      createDataplaneRoutes({
        reports: { list: () => list() },
        readHead: () => createRulesetRepository(database).readHead(),
        readProducers: () => readProducers(),
        isOperator: accounts.isOperator,
      }),
    ],
  });
  const bootstrapped = await api.accounts.bootstrap({ generate: true });
  operatorToken = bootstrapped.token!;
  await api.database.query('UPDATE ruleset_head SET epoch = $1, seq = $2', [HEAD.epoch, HEAD.seq]);
});
afterAll(() => api.close());
beforeEach(() => {
  list = async () => [];
  readProducers = async () => [];
});

const ask = (token = operatorToken) => api.call('GET', '/admin/dataplanes', { token });

describe('the list of data planes', () => {
  it('shows the operator what each one serves, and how far behind that is', async () => {
    const cold = reportOf('c', { host: 'edge-2', version: null, state: 'cold', ageMs: null });
    const late = reportOf('b', { pid: 200, state: 'resync', lastError: 'the feed is silent' });
    const newest = reportOf('a', { version: HEAD });
    list = async () => [cold, late, newest];
    const { status, json } = await ask();
    expect(status).toBe(200);
    expect(json).toEqual({
      head: '1700000000.12',
      dataplanes: [
        { ...newest, version: '1700000000.12', behind: 0 },
        { ...late, version: '1700000000.10', behind: 2 },
        { ...cold, behind: null },
      ],
      producers: [],
    });
  });

  it.each([
    ['serves what another history made', { epoch: 1_600_000_000, seq: 99 }, null],
    ['is ahead of a head that was read before', { ...HEAD, seq: 13 }, 0],
    ['serves other content under the same numbers', { ...HEAD, lineage: '0123456789ab-0123456789ab' }, null],
  ])('says how far behind one is that %s', async (_what, version, behind) => {
    list = async () => [reportOf('a', { version })];
    expect((await ask()).json.dataplanes).toMatchObject([{ behind }]);
  });

  it('is empty when there is none', async () => {
    expect((await ask()).json).toEqual({ dataplanes: [], head: '1700000000.12', producers: [] });
  });

  it('says how the hits of each producer have fared', async () => {
    const figures = { recorded: 10, stored: 7, duplicated: 1, lost: 3 };
    readProducers = async () => [{ id: 'run-1', seenAt: 1_700_000_000, ...figures }];
    expect((await ask()).json.producers).toEqual([
      { id: 'run-1', seenAt: '2023-11-14T22:13:20.000Z', ...figures },
    ]);
  });

  it('goes on without the hits while the statistics cannot be read', async () => {
    list = async () => [reportOf('a')];
    readProducers = () => Promise.reject(new Error('connect ECONNREFUSED clickhouse.internal'));
    const { status, json } = await ask();
    expect(status).toBe(200);
    expect(json).toMatchObject({ dataplanes: [{ id: 'a' }], producers: null });
  });

  it('is refused to every other user', async () => {
    const { token } = await api.createUser({ plan: 'business' });
    const { status, json } = await ask(token);
    expect(status).toBe(403);
    expect(json.error).toMatchObject({ code: 'FORBIDDEN', message: expect.stringMatching(/operator/) });
  });

  it('is refused to a token of the operator that lacks a scope', async () => {
    const { json: account } = await api.call('GET', '/auth/user', { token: operatorToken });
    const token = await api.createToken(account.user.id, { scopes: SCOPES.slice(1) });
    const { status, json } = await ask(token);
    expect([status, json.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('is refused without a token', async () => {
    const { status, json } = await api.call('GET', '/admin/dataplanes');
    expect([status, json.error.code]).toEqual([401, 'MISSING_TOKEN']);
  });

  it.each<[string, () => Promise<never>]>([
    ['cannot be read', () => Promise.reject(new Error('connect ECONNREFUSED redis.internal'))],
    ['do not come', () => new Promise(() => {})],
  ])('says so when the reports %s', async (_what, failing) => {
    list = failing;
    const { status, json, body } = await ask();
    expect([status, json.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(body).not.toContain('redis.internal');
  });
});
