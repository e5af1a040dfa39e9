import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import type { AcmeAuthority, AcmeConfig } from '../../../shared/config/acme-config.js';
import type { TestUser } from '../../http/api.fixture.js';
import type { Database } from '../../storage/postgres/database.js';
import { openTestDatabase, type TestDatabase } from '../../storage/postgres/test-database.fixture.js';
import { checkAuthorities } from './acme/check-authorities.js';
import { certificateQueue } from './certificate-queue.js';
import {
  type CertificatesApi,
  type CertificatesOptions,
  openCertificates,
  startCertificatesApi,
  startJobs,
  stopJobs,
} from './certificates-api.fixture.js';
import {
  type ChallengeDns,
  type ChallengeListener,
  PEBBLE_BIN,
  type Pebble,
  startChallengeDns,
  startChallengeListener,
  startPebble,
} from './pebble.fixture.js';

const KID = 'kid-1';
const HMAC_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';

describe.skipIf(PEBBLE_BIN === undefined)('a certificate authority', () => {
  let dns: ChallengeDns;
  let listener: ChallengeListener;
  let pebble: Pebble;
  let test: TestDatabase;
  let database: Database;
  /** Serves the API. Its own jobs order nothing. */
  let service: CertificatesApi;
  let user: TestUser;

  const authorityOf = (eab: AcmeAuthority['eab'] = { kid: KID, key: HMAC_KEY }): AcmeAuthority => ({
    ...{ directoryUrl: pebble.directoryUrl, variable: 'ACME_DIRECTORY_URL', eab },
  });
  const acmeOf = (...authorities: readonly AcmeAuthority[]): AcmeConfig => ({
    ...{ email: 'operator@waymark.example', namesPerWildcard: 20, authorities, caFile: pebble.caFile },
  });

  beforeAll(async () => {
    [dns, listener] = await Promise.all([startChallengeDns(), startChallengeListener()]);
    const common = { httpPort: listener.port, dnsServer: dns.address };
    pebble = await startPebble({ ...common, eabKeys: { [KID]: HMAC_KEY } });
    test = await openTestDatabase();
    database = test.database;
    service = await startCertificatesApi({ database });
    user = await service.api.createUser({ plan: 'business' });
  });
  afterAll(async () => {
    await service.close();
    await test.close();
    await Promise.all([dns.end(), listener.close(), pebble.end()]);
  });

  /** Runs a control plane that orders certificates until `work` has ended. */
  async function ordering(options: CertificatesOptions, work: () => Promise<void>): Promise<void> {
    const certificates = await openCertificates(database, { dnsServers: [dns.address], ...options });
    listener.thumbprint = (await certificates.answer([])).challengeThumbprints[0] ?? '';
    startJobs(certificates);
    try {
      await work();
    } finally {
      await stopJobs(certificates);
    }
  }

  it('that requires a known account gets the binding, and refuses others', async () => {
    await service.createVerified(user, 'bound.localhost');
    const without = { ...authorityOf(), eab: undefined };
    await ordering({ acme: acmeOf(without) }, async () => {
      const { lastError } = await service.until(user, 'bound.localhost', 'failed');
      expect(lastError?.code).toBe('ACCOUNT_REFUSED');
    });
    await database.query('UPDATE certificates SET next_attempt_at = now()');
    await ordering({ acme: acmeOf(authorityOf()) }, async () => {
      await service.until(user, 'bound.localhost', 'issued');
    });
  });

  it('that CAA does not permit is not asked, and the owner is told which record to add', async () => {
    await dns.setCaa('caa.localhost', ['other-authority.example']);
    await service.createVerified(user, 'www.caa.localhost');
    await ordering({ acme: acmeOf(authorityOf()) }, async () => {
      const { lastError } = await service.until(user, 'www.caa.localhost', 'failed');
      expect(lastError).toMatchObject({
        code: 'CAA_FORBIDS',
        message:
          'CAA of caa.localhost forbids pebble.letsencrypt.org: add a CAA record for caa.localhost with the value 0 issue "pebble.letsencrypt.org".',
      });
      expect(listener.validated.has('www.caa.localhost')).toBe(false);
      await dns.clearCaa('caa.localhost');
      await dns.setCaa('caa.localhost', ['pebble.letsencrypt.org; validationmethods=http-01']);
      await database.query("UPDATE certificates SET next_attempt_at = now() WHERE state = 'failed'");
      await service.until(user, 'www.caa.localhost', 'issued');
    });
  });

  it('that hangs ends the attempt by its time limit', async () => {
    await service.createVerified(user, 'slow.localhost');
    pebble.pause();
    try {
      await ordering({ acme: acmeOf(authorityOf()), timeLimitMs: 500 }, async () => {
        await expect
          .poll(async () => (await service.get(user, 'slow.localhost'))?.lastError)
          .toMatchObject({
            code: 'CA_UNAVAILABLE',
            message: 'The certificate authority did not finish within 0.5 s.',
          });
      });
    } finally {
      pebble.resume();
    }
  });

  it('gets no more orders than its limits allow, and each waiting name has an expected time', async () => {
    const hosts = Array.from({ length: 6 }, (_, index) => `limit${index}.localhost`);
    for (const host of hosts) await service.createVerified(user, host);
    // The bucket begins with the burst of its authority, which this installation has used before.
    await database.query('UPDATE acme_authorities SET tokens = 3, counted_at = now()');
    const limits = { burst: 3, perSecond: 1 / 600, perDomain: 100, perNames: 100, perHostAndHour: 100 };
    const options = { acme: acmeOf(authorityOf()), limits };
    await ordering(options, async () => {
      const issued = () =>
        database.query<{ host: string }>(
          `SELECT host FROM certificates WHERE state = 'issued' AND host ~ '^limit'`,
        );
      await expect.poll(async () => (await issued()).length).toBe(3);
    });
    const waiting = await database.query<{ host: string; last_error: unknown }>(
      `SELECT host, last_error FROM certificates WHERE state = 'ordering' AND host ~ '^limit'`,
    );
    expect(waiting).toHaveLength(3);
    expect(waiting.every(({ last_error }) => last_error === null)).toBe(true);
    const shown = await startCertificatesApi({ database, ...options });
    const token = user.token;
    const { json } = await shown.api.call('GET', '/certificates?limit=200', { token });
    const times = (json.data as { state: string; nextAttemptAt: string }[])
      .filter(({ state }) => state === 'ordering')
      .map(({ nextAttemptAt }) => Math.round((Date.parse(nextAttemptAt) - Date.now()) / 600_000))
      .sort();
    expect(times).toEqual([1, 2, 3]);
    await shown.close();
  });

  it('serves users in turn', async () => {
    const other = await service.api.createUser();
    await database.query("UPDATE certificates SET state = 'failed' WHERE state = 'ordering'");
    await database.query(
      `INSERT INTO certificates (host, user_id, source, state, next_attempt_at)
       SELECT 'turn' || i, CASE i WHEN 9 THEN $2 ELSE $1 END, 'acme', 'ordering', now() - make_interval(secs => 1e6 - i)
       FROM generate_series(1, 9) AS i`,
      [user.id, other.id],
    );
    const claimed = await certificateQueue.claim(database, {
      ...{
        lane: 'order',
        claim: 'of this test',
        limit: 4,
        leaseSeconds: 60,
        afterUserId: '',
        exceptUsers: [],
      },
    });
    expect(claimed.map(({ host }) => host).sort()).toEqual(['turn1', 'turn2', 'turn9']);
    await database.query("DELETE FROM certificates WHERE host LIKE 'turn%'");
  });

  it('issues anew what cannot be decrypted since SECRET_KEY changed', async () => {
    const secret = Buffer.from('another secret key of this installation');
    const fingerprint = async () => (await service.served('bound.localhost'))?.certificate?.fingerprint;
    const before = await fingerprint();
    expect(before).toBeDefined();
    await database.query('UPDATE acme_authorities SET tokens = 100');
    await ordering({ acme: acmeOf(authorityOf()), secret, keyGraceMs: 0 }, async () => {
      await database.query('UPDATE certificates SET next_attempt_at = now() WHERE fingerprint = $1', [
        before,
      ]);
      await expect.poll(fingerprint).not.toBe(before);
    });
  });

  describe('at the start', () => {
    const messageOf = (config: AcmeConfig) =>
      checkAuthorities(config).then(
        () => undefined,
        (error: Error) => `${error.name}: ${error.message}`,
      );

    it('is accepted, and also while it cannot be reached', async () => {
      expect(await messageOf(acmeOf(authorityOf()))).toBeUndefined();
      const away = { ...authorityOf(), directoryUrl: 'https://localhost:1/dir' };
      expect(await messageOf(acmeOf(away))).toBeUndefined();
    });

    it('stops it with one line when the URL, the roots or their file are wrong', async () => {
      const noDirectory = {
        ...authorityOf(),
        directoryUrl: pebble.directoryUrl.replace('/dir', '/nonce-plz'),
      };
      expect(await messageOf(acmeOf(noDirectory))).toMatch(
        /^ConfigError: ACME_DIRECTORY_URL must be the URL/,
      );
      const config = acmeOf(authorityOf());
      expect(await messageOf({ ...config, caFile: undefined })).toMatch(
        /^ConfigError: ACME_CA_FILE must hold/,
      );
      const folder = path.dirname(pebble.caFile);
      const files = {
        other: createTestAuthority('another').root,
        empty: '',
      };
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
      for (const [name, message] of [
        ['other', /^ConfigError: ACME_CA_FILE must hold the root of localhost/],
        ['empty', /^ConfigError: ACME_CA_FILE does not hold a certificate/],
        ['absent', /^ConfigError: ACME_CA_FILE cannot be read/],
      ] as const) {
        expect(await messageOf({ ...config, caFile: path.join(folder, name) })).toMatch(message);
      }
    });
  });
});
