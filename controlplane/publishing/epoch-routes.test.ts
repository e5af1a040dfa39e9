import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApi, type TestApi } from '../http/api.fixture.js';
import { SCOPES } from '../http/scopes.js';
import { reportOf } from './dataplane-report.fixture.js';
import { createDataplaneWatch } from './dataplane-watch.js';
import { createEpochRoutes } from './epoch-routes.js';
import { createPublicationGuard, type PublicationGuard } from './publication-guard.js';
import { createRulesetHistory } from './ruleset-history.js';
import { createRulesetRepository } from './ruleset-repository.js';

let api: TestApi;
let guard: PublicationGuard;
let operatorToken: string;
/** Why nothing is published. */
let held: string | undefined;
const recorded: object[] = [];
let recordFails = false;
const logger = pino({ level: 'silent' });

beforeAll(async () => {
  api = await startApi({
    app: { refusal: () => held },
    areas({ database, accounts }) {
      guard = createPublicationGuard({
        history: createRulesetHistory(database),
        acceptsAnyLoss: false,
        logger,
      });
      return [
        createEpochRoutes({
          guard,
          isOperator: accounts.isOperator,
          recordEpoch: async (_tx, { tokenId }, epoch) => {
            if (recordFails) throw new Error('the log cannot be written');
            recorded.push({ tokenId, ...epoch });
          },
        }),
      ];
    },
  });
  operatorToken = (await api.accounts.bootstrap({ generate: true })).token!;
});
afterAll(() => api.close());

const head = () => createRulesetRepository(api.database).readHead();
const begin = (token: string) => api.call('POST', '/admin/new-epoch', { token });

describe('POST /admin/new-epoch', () => {
  it('begins a new epoch for the operator, and permits any loss', async () => {
    const before = await head();
    const { status, json } = await begin(operatorToken);
    const after = await head();
    expect(status).toBe(200);
    expect(json).toEqual({
      message: expect.any(String),
      previous: `${before.epoch}.${before.seq}`,
      head: `${after.epoch}.0`,
    });
    const { previous, head: began } = json;
    expect(recorded).toEqual([{ tokenId: expect.any(String), previous, head: began }]);
    expect(after.epoch).toBeGreaterThan(before.epoch);
    expect(after.removals).toBe((before.removals ?? 0) + 2 ** 40);
  });

  it('is the one change that is taken while nothing is published', async () => {
    held = 'the database is another one';
    const refused = await api.call('POST', '/auth/tokens', { token: operatorToken, body: { name: 'new' } });
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'SERVICE_UNAVAILABLE' } } });
    expect((await api.call('GET', '/auth/user', { token: operatorToken })).status).toBe(200);
    expect((await begin(operatorToken)).status).toBe(200);
    held = undefined;
    const taken = await api.call('POST', '/auth/tokens', { token: operatorToken, body: { name: 'new' } });
    expect(taken.status).toBe(201);
  });

  it('changes nothing when it cannot be recorded', async () => {
    const before = await head();
    recordFails = true;
    expect((await begin(operatorToken)).status).toBe(500);
    recordFails = false;
    expect(await head()).toEqual(before);
  });

  it('is refused to every other user', async () => {
    const before = await head();
    const { token } = await api.createUser();
    const { status, json } = await begin(token);
    expect(status).toBe(403);
    expect(json).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect((await api.call('POST', '/admin/new-epoch')).status).toBe(401);
    const operator = await api.call('GET', '/auth/user', { token: operatorToken });
    const limited = await api.createToken(operator.json.user.id, { scopes: SCOPES.slice(1) });
    expect((await begin(limited)).json.error.code).toBe('INSUFFICIENT_SCOPE');
    expect(await head()).toEqual(before);
  });
});

describe('the watch over what data planes serve', () => {
  const watchOf = (versions: readonly Parameters<typeof reportOf>[1][]) =>
    createDataplaneWatch({
      reports: { list: async () => versions.map((report, index) => reportOf(`id-${index}`, report)) },
      guard,
      logger,
    });

  it('leaves data planes alone that keep up, lag behind, or serve nothing', async () => {
    const before = await head();
    const overtake = vi.spyOn(guard, 'overtake');
    await watchOf([
      { version: before },
      { version: before },
      { version: { ...before, epoch: 1, seq: 9 } },
      { version: null },
    ]).runRound();
    expect(overtake).toHaveBeenCalledTimes(2);
    expect(await head()).toEqual(before);
  });

  it('brings back one that is ahead of the database by a new epoch, once', async () => {
    const before = await head();
    const watch = watchOf([{ version: { ...before, seq: before.seq + 3 } }]);
    await watch.runRound();
    const after = await head();
    expect(after.epoch).toBeGreaterThan(before.epoch);
    expect(after.removals, 'it may not lose most of its hosts by that').toBe(before.removals);
    await watch.runRound();
    expect(await head()).toEqual(after);
  });
});
