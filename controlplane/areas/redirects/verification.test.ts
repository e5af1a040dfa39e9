import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { redirectRepository } from './redirect-repository.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let user: TestUser;
let other: TestUser;

beforeAll(async () => {
  area = await startRedirectsApi();
  user = await area.api.createUser({ plan: 'business' });
  other = await area.api.createUser({ plan: 'business' });
});
afterAll(() => area.close());

let count = 0;
const newDomain = () => `domain-${++count}.example`;
const verify = (token: string, domain: string) =>
  area.api.call('POST', '/verify-domain', { token, body: { domain } });
const claim = async (token: string, fromDomain: string, toDomain = 'https://new.example') =>
  (await area.create(token, { fromDomain, toDomain })).json;

describe('POST /verify-domain', () => {
  test('says what is missing, and verifies once it is there', async () => {
    const domain = newDomain();
    const { id, verification } = await claim(user.token, domain);
    const before = await verify(user.token, ` ${domain.toUpperCase()}. `);
    expect(before).toMatchObject({
      status: 200,
      json: { domain, isVerified: false, status: { success: false }, required: verification, found: [] },
    });

    area.dns.setTxt(verification.name, ['something else']);
    const wrong = await verify(user.token, domain);
    expect(wrong.json).toMatchObject({ isVerified: false, found: ['something else'] });
    expect(wrong.json.status.detail).not.toBe(before.json.status.detail);

    area.dns.setTxt(verification.name, [verification.value]);
    expect((await verify(user.token, domain)).json).toMatchObject({
      isVerified: true,
      status: { success: true },
    });
    const { json } = await area.api.call('GET', `/redirects/${id}`, { token: user.token });
    expect(json).toMatchObject({ isVerified: true, status: 'active', verifiedAt: expect.any(String) });
    expect((await area.changedHosts()).at(-1)).toBe(domain);
    expect(await area.served(domain)).toMatchObject({ id });
  });

  test('stays verified when it is asked for again, also without the record', async () => {
    const domain = newDomain();
    const { verification } = await area.createVerified(user.token, {
      fromDomain: domain,
      toDomain: 'https://x.example',
    });
    const { json } = await verify(user.token, domain);
    expect(json).toMatchObject({
      isVerified: true,
      found: [verification.value],
      dnsRecords: {
        type: 'TXT',
        name: verification.name,
        addresses: [verification.value],
        isRootDomain: true,
        isVerified: true,
      },
    });
    area.dns.setTxt(verification.name, []);
    const withoutRecord = (await verify(user.token, domain)).json;
    expect(withoutRecord).toMatchObject({ isVerified: true, found: [], dnsRecords: { isVerified: true } });
    expect(Object.keys(withoutRecord)).toEqual(Object.keys(json));
  });

  test('answers 404 for a domain that the caller has not claimed', async () => {
    const domain = newDomain();
    await claim(other.token, domain);
    for (const unclaimed of [domain, newDomain()]) {
      expect(await verify(user.token, unclaimed)).toMatchObject({
        status: 404,
        json: { error: { code: 'NOT_FOUND' } },
      });
    }
  });

  test('answers 422 for what is no domain', async () => {
    expect(await verify(user.token, 'no domain')).toMatchObject({
      status: 422,
      json: { error: { field: 'domain' } },
    });
  });
});

describe('several users who claim a domain', () => {
  test('may all do so; the first to verify it owns it', async () => {
    const domain = newDomain();
    const mine = await claim(user.token, domain);
    const theirs = await claim(other.token, domain);
    expect(mine.verification.value).not.toBe(theirs.verification.value);

    area.dns.setTxt(theirs.verification.name, [theirs.verification.value]);
    expect((await verify(user.token, domain)).json.isVerified).toBe(false);
    expect((await verify(other.token, domain)).json.isVerified).toBe(true);

    const taken = (field: string) => ({ status: 422, json: { error: { code: 'DOMAIN_TAKEN', field } } });
    expect(await verify(user.token, domain)).toMatchObject(taken('domain'));
    const third = await area.api.createUser();
    expect(
      await area.create(third.token, { fromDomain: domain, toDomain: 'https://x.example' }),
    ).toMatchObject(taken('fromDomain'));
  });

  test('get it one after the other when the owner lets it go', async () => {
    const domain = newDomain();
    const mine = await claim(user.token, domain);
    const theirs = await area.createVerified(other.token, {
      fromDomain: domain,
      toDomain: 'https://x.example',
    });
    await area.api.call('DELETE', `/delete-redirect/${theirs.id}`, { token: other.token });
    area.dns.setTxt(mine.verification.name, [mine.verification.value]);
    expect((await verify(user.token, domain)).json.isVerified).toBe(true);
  });

  test('cannot both own it by verifying at the same moment', async () => {
    const domain = newDomain();
    const mine = await claim(user.token, domain);
    const theirs = await claim(other.token, domain);
    area.dns.setTxt(mine.verification.name, [mine.verification.value, theirs.verification.value]);
    const answers = await Promise.all([verify(user.token, domain), verify(other.token, domain)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

test('a domain whose verification would close a loop is not activated, and the loop is shown', async () => {
  const [a, b] = [newDomain(), newDomain()];
  const mine = await claim(user.token, a, `https://${b}`);
  await area.createVerified(other.token, { fromDomain: b, toDomain: `https://${a}` });
  area.dns.setTxt(mine.verification.name, [mine.verification.value]);
  const { status, json } = await verify(user.token, a);
  expect(status).toBe(200);
  expect(json.isVerified).toBe(false);
  expect(json.status.detail).toContain(`${a} → ${b} → ${a}`);
});

describe('the background check', () => {
  const makeDue = (id: string) =>
    area.api.database.query(
      "UPDATE redirects SET next_check_at = now() - interval '1 second' WHERE id = $1",
      [id],
    );
  const stateOf = async (id: string) => {
    const [row] = await area.api.database.query<{
      wait: number | null;
      check_count: number;
      verified: boolean;
    }>(
      `SELECT extract(epoch FROM next_check_at - now())::float AS wait, check_count,
         verified_at IS NOT NULL AS verified FROM redirects WHERE id = $1`,
      [id],
    );
    return row!;
  };

  test('verifies a domain whose record has appeared', async () => {
    const { id, verification } = await claim(user.token, newDomain());
    expect(await area.recheck.runRound()).toBe(0);
    await makeDue(id);
    area.dns.setTxt(verification.name, [verification.value]);
    expect(await area.recheck.runRound()).toBe(1);
    expect(await stateOf(id)).toMatchObject({ verified: true, wait: null });
  });

  test('waits twice as long after each failure, up to six hours', async () => {
    const { id } = await claim(user.token, newDomain());
    for (const expected of [60, 120, 240]) {
      await makeDue(id);
      await area.recheck.runRound();
      const { wait } = await stateOf(id);
      expect(wait! / expected).toBeGreaterThan(0.75);
      expect(wait! / expected).toBeLessThan(1.25);
    }
    await area.api.database.query('UPDATE redirects SET check_count = 30 WHERE id = $1', [id]);
    await makeDue(id);
    await area.recheck.runRound();
    expect((await stateOf(id)).wait).toBeLessThan(6 * 3600 * 1.25);
  });

  test('gives up a domain that is thirty days old', async () => {
    const { id } = await claim(user.token, newDomain());
    await area.api.database.query(
      "UPDATE redirects SET created_at = now() - interval '31 days' WHERE id = $1",
      [id],
    );
    await makeDue(id);
    await area.recheck.runRound();
    expect(await stateOf(id)).toMatchObject({ wait: null, verified: false });
  });

  const addDue = (userId: string, prefix: string, count: number) =>
    area.api.database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value, next_check_at)
       SELECT $1 || i, $2, $1 || i || '.example.com', 'https://new.example', 'new.example', 'permanent', false, false,
         1, 'value', now() - interval '1 minute' FROM generate_series(1, $3::int) i`,
      [prefix, userId, count],
    );

  test('checks everything that is due in one round', async () => {
    await addDue(user.id, 'all', 150);
    expect(await area.recheck.runRound()).toBe(150);
    expect(await area.recheck.runRound()).toBe(0);
  });

  test('gives each user an equal share, whoever has waited longest', async () => {
    const busy = await area.api.createUser();
    await addDue(busy.id, 'busy', 20);
    await addDue(user.id, 'calm', 1);
    const take = (afterUserId: string) =>
      redirectRepository.takeDueForCheck(area.api.database, {
        limit: 4,
        delaySeconds: 60,
        maxDelaySeconds: 60,
        giveUpAfterDays: 30,
        afterUserId,
      });
    const ownersOf = async (afterUserId: string) => (await take(afterUserId)).map(({ userId }) => userId);
    expect((await ownersOf('')).sort()).toEqual([busy.id, busy.id, user.id].sort());
    expect(await ownersOf('')).toEqual(Array(4).fill(busy.id));
    expect(await ownersOf(busy.id)).toEqual([]);
    await area.recheck.runRound();
  });

  test('takes no more than its limit, whatever plan the database chooses', async () => {
    const busy = await area.api.createUser();
    await addDue(busy.id, 'exact', 12);
    const due = { limit: 3, delaySeconds: 60, maxDelaySeconds: 60, giveUpAfterDays: 30, afterUserId: '' };
    const taken = await area.api.database.transaction(async (tx) => {
      for (const way of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'memoize']) {
        await tx.query(`SET LOCAL enable_${way} = off`);
      }
      return redirectRepository.takeDueForCheck(tx, due);
    });
    expect(taken).toHaveLength(3);
    await area.recheck.runRound();
  });

  test('of a domain that was taken but not asked is postponed without counting', async () => {
    const { id } = await claim(user.token, newDomain());
    const givenUp = await claim(user.token, newDomain());
    await area.api.database.query('UPDATE redirects SET check_count = 4 WHERE id = $1', [id]);
    await area.api.database.query('UPDATE redirects SET next_check_at = NULL WHERE id = $1', [givenUp.id]);
    const waitMs = 1_000_000;
    await redirectRepository.postponeChecks(area.api.database, [
      { redirectId: id, waitMs },
      { redirectId: givenUp.id, waitMs },
    ]);
    const { wait, check_count } = await stateOf(id);
    expect(check_count).toBe(3);
    expect(wait! / 1_000).toBeGreaterThan(0.5);
    expect(wait! / 1_000).toBeLessThanOrEqual(1);
    expect(await stateOf(givenUp.id)).toMatchObject({ wait: null });
  });

  test('is done once when two processes run it at the same time', async () => {
    const ids = await Promise.all(
      Array.from({ length: 4 }, async () => (await claim(user.token, newDomain())).id),
    );
    for (const id of ids) await makeDue(id);
    const [one, two] = await Promise.all([area.recheck.runRound(), area.recheck.runRound()]);
    expect(one + two).toBe(4);
    for (const id of ids) expect(await stateOf(id)).toMatchObject({ check_count: 1 });
  });
});

test('a domain whose verification would close a loop through a rule is not activated', async () => {
  const [a, b] = [newDomain(), newDomain()];
  const theirs = await area.createVerified(other.token, { fromDomain: b, toDomain: 'https://x.example' });
  const mine = await claim(user.token, a, `https://${b}`);
  await area.api.database.query(
    `INSERT INTO rules (redirect_id, name, type, conditions, condition_logic, action, priority, status, created_by)
     VALUES ($1, 'back', 'force', '[]', 'AND', $2::jsonb, 1, 'active', 'somebody')`,
    [theirs.id, JSON.stringify({ type: 'redirect', url: `https://${a}/x` })],
  );
  area.dns.setTxt(mine.verification.name, [mine.verification.value]);
  const { json } = await verify(user.token, a);
  expect(json.isVerified).toBe(false);
  expect(json.status.detail).toContain(`${a} → ${b} → ${a}`);
});
