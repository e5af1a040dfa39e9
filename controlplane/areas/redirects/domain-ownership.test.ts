import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import type { Mail } from '../../mail/mail-transport.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { createDomainVerifier, type DomainVerifierOptions } from '../domains/domain-verification.js';
import { INTEGRATOR_EVENT_TYPES } from '../webhooks/integrator-events.js';
import { createProofRecheck, type ProofRecheck } from './proof-recheck.js';
import { type RedirectsApi, startRedirectsApi } from './redirects-api.fixture.js';

let area: RedirectsApi;
let seller: TestUser;
let buyer: TestUser;
let count = 0;
const sent: Mail[] = [];

beforeAll(async () => {
  area = await startRedirectsApi(undefined, {
    mailTransport: {
      delivery: 'email',
      async send(mail) {
        sent.push(mail);
      },
      close: () => undefined,
    },
  });
  seller = await area.api.createUser({ plan: 'business' });
  buyer = await area.api.createUser({ plan: 'business' });
  await query(
    `INSERT INTO webhook_endpoints (id, user_id, url, events, secret) VALUES ('hook', $1, 'https://h.example', $2, '')`,
    [seller.id, [...INTEGRATOR_EVENT_TYPES]],
  );
});
afterAll(() => area.close());

const query = (sql: string, params: readonly unknown[]) => area.api.database.query(sql, params);
const makeDue = (id: string) =>
  query(`UPDATE domain_proofs SET next_check_at = now() WHERE redirect_id = $1`, [id]);
const age = (id: string, days: number) =>
  query(
    `UPDATE domain_proofs SET missing_since = missing_since - make_interval(days => $2) WHERE redirect_id = $1`,
    [id, days],
  );
const events = async (domain: string) => {
  const rows = await area.api.database.query<{ payload: string }>(
    `SELECT payload FROM webhook_events WHERE payload LIKE '%' || $1 || '%' ORDER BY created_at, id`,
    [domain],
  );
  return rows
    .map(({ payload }) => JSON.parse(payload))
    .filter(({ type }) => type === 'domain.proof_missing' || type === 'domain.unverified');
};
const verify = (token: string, domain: string) =>
  area.api.call('POST', '/verify-domain', { token, body: { domain } });
const isVerified = async (id: string) =>
  (await area.api.call('GET', `/redirects/${id}`, { token: seller.token })).json.isVerified;

async function newDomain() {
  const fromDomain = `sold-${++count}.example`;
  return area.createVerified(seller.token, { fromDomain, toDomain: 'https://new.example' });
}

async function check(id: string, proofs: Pick<ProofRecheck, 'runRound'> = area.proofs): Promise<void> {
  await makeDue(id);
  await proofs.runRound();
}

describe('the proof of a verified domain', () => {
  it('may be missing for seven days; then the domain is no longer verified', async () => {
    const { id, fromDomain, verification } = await newDomain();
    area.dns.setTxt(verification.name, []);
    await check(id);
    await check(id);
    expect(await events(fromDomain)).toMatchObject([
      {
        type: 'domain.proof_missing',
        data: { redirectId: id, domain: fromDomain, unverifiedAt: expect.any(String) },
      },
    ]);
    await age(id, 6);
    await check(id);
    expect(await isVerified(id)).toBe(true);
    await age(id, 1);
    await check(id);
    expect(await isVerified(id)).toBe(false);
    expect((await events(fromDomain)).at(-1)).toMatchObject({
      type: 'domain.unverified',
      data: { reason: 'proof_missing' },
    });
    expect(await area.served(fromDomain)).toBeUndefined();
  });

  it('is announced by a mail when it is missing and when the grace is over, at most once an hour each', async () => {
    const { database, mails } = area.api;
    await database.query('DELETE FROM owner_mails');
    await database.query('DELETE FROM mails');
    const [first, second] = [await newDomain(), await newDomain()];
    for (const { id, verification } of [first, second]) {
      area.dns.setTxt(verification.name, []);
      await check(id);
    }
    await age(first.id, 7);
    await check(first.id);
    sent.length = 0;
    await mails.runRound();
    expect(sent.map(({ to, subject }) => ({ to, subject }))).toEqual([
      { to: seller.email, subject: `The DNS record of ${first.fromDomain} is missing` },
      { to: seller.email, subject: `The redirect of ${first.fromDomain} has stopped` },
    ]);
    for (const { text } of sent) {
      expect(text).toContain(first.verification.name);
      expect(text).toContain(first.verification.value);
    }
  });

  it('that comes back ends the grace', async () => {
    const { id, fromDomain, verification } = await newDomain();
    area.dns.setTxt(verification.name, []);
    await check(id);
    area.dns.setTxt(verification.name, [verification.value]);
    await check(id);
    area.dns.setTxt(verification.name, []);
    await check(id);
    await age(id, 6);
    await check(id);
    expect(await isVerified(id)).toBe(true);
    expect((await events(fromDomain)).map(({ type }) => type)).toEqual([
      'domain.proof_missing',
      'domain.proof_missing',
    ]);
  });

  it.each(['servfail', 'silent'] as const)(
    'is not missing because name servers fail: %s',
    async (failure) => {
      const { id, fromDomain, verification } = await newDomain();
      area.dns.setTxt(verification.name, []);
      await check(id);
      await age(id, 30);
      area.dns.set(verification.name, failure);
      await check(id, proofsWith({ dnsServers: [area.dns.address], timeoutMs: 200, tries: 1 }));
      expect(await isVerified(id)).toBe(true);
      expect(await events(fromDomain)).toHaveLength(1);
    },
  );

  it('is looked up once a day, also for domains that were verified before there were checks', async () => {
    const { id } = await newDomain();
    await query('DELETE FROM domain_proofs WHERE redirect_id = $1', [id]);
    const local = await area.create(seller.token, {
      fromDomain: 'try.localhost',
      toDomain: 'https://n.example',
    });
    const fresh = await startSweep();
    expect(fresh).toContain(id);
    expect(fresh).not.toContain(local.json.id);
  });
});

/** Creates the checks of another process. */
function proofsWith(options: DomainVerifierOptions): ProofRecheck {
  const { database, mails } = area.api;
  return createProofRecheck({
    database,
    outbox: createRulesetOutbox(database),
    verifier: createDomainVerifier(options),
    ownerMails: createOwnerMails(mails),
    logger: pino({ level: 'silent' }),
  });
}

/** Runs the first round of another process. Resolves to the redirects whose proofs are checked within a day. */
async function startSweep(): Promise<string[]> {
  await proofsWith({}).runRound();
  const rows = await area.api.database.query<{ id: string }>(
    `SELECT redirect_id AS id FROM domain_proofs WHERE next_check_at < now() + interval '30 hours'`,
  );
  return rows.map(({ id }) => id);
}

describe('a domain that was sold', () => {
  it('moves at once to who proves it, if the proof of the owner is gone', async () => {
    const fromDomain = `sold-${++count}.example`;
    const claim = (await area.create(buyer.token, { fromDomain, toDomain: 'https://buyer.example' })).json;
    const { verification } = await area.createVerified(seller.token, {
      fromDomain,
      toDomain: 'https://seller.example',
    });
    const taken = await verify(buyer.token, fromDomain);
    expect([taken.status, taken.json.error.code]).toEqual([422, 'DOMAIN_TAKEN']);
    area.dns.setTxt(verification.name, [verification.value, claim.verification.value]);
    expect((await verify(buyer.token, fromDomain)).status).toBe(422);
    area.dns.setTxt(verification.name, [claim.verification.value]);
    expect((await verify(buyer.token, fromDomain)).json.isVerified).toBe(true);
    expect(await area.served(fromDomain)).toMatchObject({ destination: 'https://buyer.example' });
    expect((await events(fromDomain)).at(-1)).toMatchObject({
      type: 'domain.unverified',
      data: { reason: 'proved_by_another_user' },
    });
    expect((await verify(seller.token, fromDomain)).json.error.code).toBe('DOMAIN_TAKEN');
  });

  it('can be claimed once the proof of the owner is found missing, which a refused claim hastens', async () => {
    const { fromDomain, verification, id } = await newDomain();
    const body = { fromDomain, toDomain: 'https://buyer.example' };
    expect((await area.create(buyer.token, body)).json.error.code).toBe('DOMAIN_TAKEN');
    area.dns.setTxt(verification.name, []);
    await query(`UPDATE domain_proofs SET decided_at = now() - interval '2 hours' WHERE redirect_id = $1`, [
      id,
    ]);
    expect((await area.create(buyer.token, body)).json.error.code).toBe('DOMAIN_TAKEN');
    await area.proofs.runRound();
    const claim = await area.create(buyer.token, body);
    expect(claim.status).toBe(201);
    expect(await isVerified(id)).toBe(true);
    area.dns.setTxt(verification.name, [claim.json.verification.value]);
    expect((await verify(buyer.token, fromDomain)).json.isVerified).toBe(true);
    expect(await isVerified(id)).toBe(false);
  });
});

describe('a refused claim among many', () => {
  it.each([
    ['best_effort', 200],
    ['all_or_nothing', 422],
  ])('has the proof of the owner checked soon, with mode=%s', async (mode, status) => {
    const owned = [await newDomain(), await newDomain()];
    const ids = owned.map(({ id }) => id);
    await query(
      `UPDATE domain_proofs SET decided_at = now() - interval '2 hours', next_check_at = now() + interval '1 day'
       WHERE redirect_id = ANY($1)`,
      [ids],
    );
    const domains = [
      `free-${mode.replaceAll('_', '-')}.example`,
      ...owned.map(({ fromDomain }) => fromDomain),
    ];
    const answer = await area.api.call('POST', `/redirects/bulk?mode=${mode}`, {
      token: buyer.token,
      body: { operations: domains.map((fromDomain) => ({ fromDomain, toDomain: 'https://b.example' })) },
    });
    expect(answer.status, answer.body).toBe(status);
    const due = () =>
      query('SELECT FROM domain_proofs WHERE redirect_id = ANY($1) AND next_check_at <= now()', [ids]);
    await expect.poll(due).toHaveLength(2);
  });
});

it('a restored redirect is pending when somebody else has proved the domain meanwhile', async () => {
  const { id, fromDomain } = await newDomain();
  await area.api.call('DELETE', `/redirects/${id}`, { token: seller.token });
  await area.createVerified(buyer.token, { fromDomain, toDomain: 'https://other.example' });
  await query('UPDATE domain_proofs SET missing_since = now() WHERE missing_since IS NULL', []);
  const restored = await area.api.call('POST', `/redirects/${id}/restore`, { token: seller.token });
  expect(restored).toMatchObject({ status: 200, json: { isVerified: false } });
});
