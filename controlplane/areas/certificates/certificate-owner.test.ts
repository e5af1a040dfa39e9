import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestUser } from '../../http/api.fixture.js';
import { certificateRepository } from './certificate-repository.js';
import { type CertificatesApi, startCertificatesApi } from './certificates-api.fixture.js';
import { enrolmentRepository } from './enrolment.js';

const HOST = 'handed-over.localhost';

let service: CertificatesApi;
let former: TestUser;
let owner: TestUser;

beforeAll(async () => {
  service = await startCertificatesApi();
  former = await service.api.createUser();
  owner = await service.api.createUser();
  await service.createVerified(owner, HOST);
});
afterAll(() => service.close());

/** A renewal of the former owner is under way. */
beforeEach(async () => {
  await service.database.query('DELETE FROM certificates');
  await service.database.query(
    `INSERT INTO certificates (host, user_id, source, state, fingerprint, sealed, key_id, issuer, names, not_before,
       not_after, renewal_id, renew_at, last_error, dns, failures, next_attempt_at, claim, pending_order, pending_key)
     VALUES ($1, $2, 'acme', 'renewing', 'f', 's', 'k', 'i', '{n}', now(), now() + interval '1 day', 'r', now(), '{}', '{}',
       3, now() + interval '1 minute', 'under way', '{"directory":"d","url":"u"}', '\\x00')`,
    [HOST, former.id],
  );
});

const row = async () =>
  (await service.database.query<Record<string, unknown>>('SELECT * FROM certificates'))[0] ?? {};

const BLANK = {
  ...{
    source: 'acme',
    state: 'waiting_for_dns',
    fingerprint: null,
    sealed: null,
    key_id: null,
    issuer: null,
  },
  ...{ names: null, not_before: null, not_after: null, renewal_id: null, renew_at: null, last_error: null },
  ...{ dns: null, failures: 0, claim: null, pending_order: null, pending_key: null },
};

describe('a new owner of a host', () => {
  it.each([
    ['a retry', () => certificateRepository.makeDue(service.database, HOST, owner.id)],
    ['the enrolment', () => enrolmentRepository.enrolHosts(service.database, [HOST], false)],
  ])('gets nothing of the former owner by %s', async (_what, act) => {
    await act();
    expect(await row()).toMatchObject({ ...BLANK, user_id: owner.id });
    expect((await service.served(HOST))?.certificate).toBeUndefined();
  });
});

describe('a retry of the owner', () => {
  const retry = () => certificateRepository.makeDue(service.database, HOST, former.id);

  it('leaves an attempt under way alone', async () => {
    const before = await row();
    await retry();
    expect(await row()).toEqual(before);
  });

  it('makes a host due whose attempt has ended, and keeps what it has', async () => {
    await service.database.query('UPDATE certificates SET claim = NULL');
    const { next_attempt_at: later } = await row();
    await retry();
    const due = await row();
    expect(due).toMatchObject({ state: 'renewing', fingerprint: 'f', renewal_id: 'r', failures: 3 });
    expect(due.pending_order).toEqual({ directory: 'd', url: 'u' });
    expect((due.next_attempt_at as Date).getTime()).toBeLessThan((later as Date).getTime());
  });

  it('makes a host due whose attempt died', async () => {
    await service.database.query("UPDATE certificates SET next_attempt_at = now() - interval '1 second'");
    await retry();
    expect((await row()).claim).toBeNull();
  });
});
