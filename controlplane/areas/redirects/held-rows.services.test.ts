import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../../shared/process/error-facts.js';
import type { CurrentUser } from '../../http/current-user.js';
import { SCOPES } from '../../http/scopes.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database, Queryable } from '../../storage/postgres/database.js';
import { PLANS } from '../plans/default-plans.js';
import type { Redirect } from './redirect.js';
import { redirectRepository } from './redirect-repository.js';
import { createRedirectService, type RedirectService } from './redirect-service.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

const REDIRECTS = 24;
const ROUNDS = 12;
/** PostgreSQL's code of a transaction that was ended because of a deadlock. */
const DEADLOCK = '40P01';

describe('redirects that another transaction holds', () => {
  let area: RedirectsApi;
  let user: CurrentUser;
  /** The services of two control planes, each with separate batches. */
  let services: readonly [RedirectService, RedirectService];
  let redirects: readonly Redirect[];

  /** Deadlocks of the services. The services retry, so their callers do not see them. */
  const deadlocks: unknown[] = [];

  beforeAll(async () => {
    area = await startRedirectsApi();
    const database: Database = {
      ...area.api.database,
      transaction: (work, options) =>
        area.api.database.transaction(work, options).catch((error: unknown) => {
          if (codeOf(error) === DEADLOCK) deadlocks.push(error);
          throw error;
        }),
    };
    const service = () =>
      createRedirectService({
        database,
        outbox: createRulesetOutbox(database),
      });
    services = [service(), service()];
    const { id, email } = await area.api.createUser();
    user = { id, email, scopes: SCOPES, plan: PLANS.business, address: '192.0.2.1' };
    redirects = await Promise.all(
      Array.from({ length: REDIRECTS }, (_, at) =>
        services[0].create(user, {
          fromDomain: `held-${at}.localhost`,
          toDomain: 'https://destination.example/',
        }),
      ),
    );
  });
  afterAll(() => area.close());

  const idOf = (at: number) => redirects[at]?.id ?? '';
  const move = (at: number, host: string) => ({ id: idOf(at), toDomain: `https://${host}.example/` });

  /** Holds a redirect until the returned function is called. */
  async function hold(id: string): Promise<() => Promise<unknown>> {
    let letGo: () => void = () => undefined;
    const untilLetGo = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let transaction: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve, reject) => {
      transaction = area.api.database
        .transaction(async (tx: Queryable) => {
          await redirectRepository.findByIdForUpdate(tx, id);
          resolve();
          await untilLetGo;
        })
        .catch(reject);
    });
    return () => {
      letGo();
      return transaction;
    };
  }

  it.each([
    ['a change', (id: string) => services[0].patch(user, id, { note: 'late' })],
    ['a change to another host', (id: string) => services[0].update(user, id, move(0, 'late'))],
    ['a deletion', (id: string) => services[0].delete(user, id)],
  ])('keep %s waiting, and nothing else', async (_name, changeHeld) => {
    const letGo = await hold(idOf(0));
    let isDone = false;
    const held = changeHeld(idOf(0)).then((changed) => {
      isDone = true;
      return changed;
    });
    const [service] = services;
    for (let round = 0; round < 3; round += 1) {
      const others = await Promise.all([
        service.patch(user, idOf(1), { note: `round ${round}` }),
        service.update(user, idOf(2), move(2, `round-${round}`)),
        service.create(user, {
          fromDomain: `${crypto.randomUUID()}.localhost`,
          toDomain: 'https://x.example',
        }),
      ]);
      expect(others).toHaveLength(3);
      expect(isDone).toBe(false);
    }
    await letGo();
    expect((await held).id).toBe(idOf(0));
  });

  it('are changed by several control planes in any order without a deadlock', async () => {
    const shuffled = () =>
      redirects
        .slice(1)
        .map((_, at) => at + 1)
        .sort(() => Math.random() - 0.5);
    const oneOf = (service: RedirectService, at: number, round: number) => {
      if (at % 3 === 0) return service.update(user, idOf(at), move(at, `moved-${round}`));
      return service.patch(user, idOf(at), { note: `note ${round}` });
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const changes = services.flatMap((service) => shuffled().map((at) => oneOf(service, at, round)));
      const outcomes = await Promise.allSettled(changes);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    }
    expect(deadlocks).toEqual([]);
    const versions = await area.api.database.query<{ id: string; version: number; recorded: number }>(
      `SELECT id, redirects.version, count(*)::int AS recorded FROM redirects
       JOIN redirect_versions ON redirect_id = id WHERE user_id = $1 GROUP BY id`,
      [user.id],
    );
    for (const { version, recorded } of versions) expect(recorded).toBe(version);
  });
});
