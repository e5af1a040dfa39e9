import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCertificateSealing } from '../../../shared/certificates/certificate-sealing.js';
import { createTestAuthority } from '../../../shared/certificates/certificates.fixture.js';
import type { AcmeConfig } from '../../../shared/config/acme-config.js';
import type { TestUser } from '../../http/api.fixture.js';
import type { AuthorityLimits } from './authority-limits.js';
import {
  type CertificatesApi,
  type CertificatesOptions,
  openCertificates,
  SECRET,
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

const DAY_MS = 86_400_000;
const OTHER_SECRET = Buffer.from('another secret key of this installation');
const LIMITS: AuthorityLimits = { burst: 1_000, perSecond: 10, perDomain: 2, perNames: 2, perHostAndHour: 3 };

describe.skipIf(PEBBLE_BIN === undefined)('orders at a certificate authority', () => {
  let dns: ChallengeDns;
  let listener: ChallengeListener;
  let pebble: Pebble;
  let acme: AcmeConfig;
  /** Serves the API. Its own jobs begin to order with `ordering` only. */
  let service: CertificatesApi;
  let user: TestUser;
  let thumbprint: string;

  beforeAll(async () => {
    [dns, listener] = await Promise.all([startChallengeDns(), startChallengeListener()]);
    pebble = await startPebble({
      ...{ httpPort: listener.port, dnsServer: dns.address, nonceReject: 0 },
      domainBlocklist: ['refused.localhost'],
    });
    const { directoryUrl, caFile } = pebble;
    const authorities = [{ directoryUrl, variable: 'ACME_DIRECTORY_URL', eab: undefined } as const];
    acme = { email: 'operator@waymark.example', namesPerWildcard: 20, authorities, caFile };
    service = await startCertificatesApi({ acme, knownForSeconds: 1_000_000 });
    user = await service.api.createUser({ plan: 'business' });
    thumbprint = (await service.certificates.answer([])).challengeThumbprints[0] ?? '';
  });
  beforeEach(() => {
    listener.thumbprint = thumbprint;
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(async () => {
    await service.close();
    await Promise.all([dns.end(), listener.close(), pebble.end()]);
  });

  /** Runs a control plane that orders certificates until `work` has ended. */
  async function ordering(options: CertificatesOptions, work: () => Promise<void>): Promise<void> {
    const certificates = await openCertificates(service.database, {
      ...{ acme, dnsServers: [dns.address], limits: LIMITS, ...options },
    });
    const [ours] = (await certificates.answer([])).challengeThumbprints;
    if (listener.thumbprint === thumbprint) listener.thumbprint = ours ?? '';
    startJobs(certificates);
    try {
      await work();
    } finally {
      await stopJobs(certificates);
    }
  }

  const retry = async (host: string) => {
    const { token } = user;
    expect((await service.api.call('POST', `/certificates/${host}/retry`, { token })).status).toBe(202);
  };
  const orders = (host: string) =>
    service.database.query<{ failed_at: Date | null }>(
      'SELECT failed_at FROM certificate_orders WHERE host = $1',
      [host],
    );
  const fingerprint = async (host: string) => (await service.served(host))?.certificate?.fingerprint;
  const makeDue = (host: string, changes = '') =>
    service.database.query(`UPDATE certificates SET next_attempt_at = now() ${changes} WHERE host = $1`, [
      host,
    ]);

  it('are placed once however often the owner retries meanwhile', async () => {
    const host = 'eager.localhost';
    await service.createVerified(user, host);
    const release = listener.hold();
    await ordering({}, async () => {
      await expect.poll(() => listener.validated.has(host)).toBe(true);
      for (let times = 0; times < 5; times += 1) await retry(host);
      release();
      await service.until(user, host, 'issued');
    });
    expect(await orders(host)).toHaveLength(1);
  });

  it('continue within seconds when a statement lost its connection', async () => {
    const host = 'interrupted.localhost';
    await service.createVerified(user, host);
    await service.until(user, host, 'waiting_for_dns');
    await ordering({}, async () => {
      await service.database.transaction(async (tx) => {
        await tx.query('LOCK TABLE redirects IN ACCESS EXCLUSIVE MODE');
        const killed = () =>
          service.database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE 'SELECT FROM certificates JOIN redirects%'`);
        await makeDue(host);
        await expect.poll(async () => (await killed()).length).toBeGreaterThan(0);
      });
      await service.until(user, host, 'issued');
    });
    const failures = (await service.events(user)).filter(
      ({ type, data }) => type === 'certificate.failed' && data.host === host,
    );
    expect(failures).toEqual([]);
  });

  it('are limited per host and hour, and a retry beyond that waits with the last error shown', async () => {
    const host = 'impatient.localhost';
    listener.thumbprint = 'wrong';
    await service.createVerified(user, host);
    await ordering({}, async () => {
      for (let count = 1; count <= LIMITS.perHostAndHour; count += 1) {
        await expect.poll(async () => (await orders(host)).length).toBe(count);
        await service.until(user, host, 'failed');
        await retry(host);
      }
      const waiting = await service.until(user, host, 'ordering');
      expect(waiting.lastError?.code).toBe('VALIDATION_FAILED');
      await expect
        .poll(async () => Date.parse((await service.get(user, host))?.nextAttemptAt ?? '') - Date.now())
        .toBeGreaterThan(50 * 60_000);
    });
    expect(await orders(host)).toHaveLength(LIMITS.perHostAndHour);
  });

  it('that fail do not count toward the limit per registered domain', async () => {
    const hosts = ['a', 'b', 'c', 'd'].map((label) => `${label}.quota.localhost`);
    listener.thumbprint = 'wrong';
    for (const host of hosts.slice(0, 2)) await service.createVerified(user, host);
    await ordering({}, async () => {
      for (const host of hosts.slice(0, 2)) await service.until(user, host, 'failed');
    });
    listener.thumbprint = thumbprint;
    await ordering({}, async () => {
      for (const host of hosts.slice(2)) {
        await service.createVerified(user, host);
        await service.until(user, host, 'issued');
      }
      // A token is added every 3.5 days. Each waiting host gets the time of its own token.
      for (const [index, host] of hosts.slice(0, 2).entries()) {
        await retry(host);
        await expect.poll(async () => (await service.get(user, host))?.lastError?.code).toBe('RATE_LIMITED');
        const waiting = await service.get(user, host);
        expect(waiting).toMatchObject({
          state: 'ordering',
          lastError: {
            message: expect.stringMatching(/2 certificates per week for names of quota\.localhost/),
          },
        });
        const days = (Date.parse(waiting?.nextAttemptAt ?? '') - Date.now()) / DAY_MS;
        expect(days).toBeCloseTo(3.5 * (index + 1), 1);
      }
    });
    const refill = `UPDATE certificate_limits SET counted_at = now() - interval '3.5 days'
      WHERE subject = 'domain quota.localhost'`;
    await service.database.query(refill);
    await makeDue(hosts[0]!);
    await ordering({}, () => service.until(user, hosts[0]!, 'issued').then(() => undefined));
  });

  it('take the place of those that wait before them and give up', async () => {
    const hosts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((label) => `${label}.queue.localhost`);
    const [, , uploaded, elsewhere, moved, retried, last] = hosts as [string, string, ...string[]] & string[];
    const days = async (host: string | undefined) => {
      const { lastError, nextAttemptAt } = (await service.get(user, host!))!;
      expect(lastError?.message).toContain(`until ${nextAttemptAt!.slice(0, 19)}`);
      return (Date.parse(nextAttemptAt!) - Date.now()) / DAY_MS;
    };
    await ordering({}, async () => {
      for (const [index, host] of hosts.entries()) {
        await service.createVerified(user, host);
        if (index < 2) await service.until(user, host, 'issued');
        else
          await expect
            .poll(async () => (await service.get(user, host))?.lastError?.code)
            .toBe('RATE_LIMITED');
      }
      expect(await days(last)).toBeCloseTo(3.5 * 5, 1);

      const body = createTestAuthority('uploads').issue([uploaded!]);
      const { token } = user;
      expect((await service.api.call('PUT', `/certificates/${uploaded}`, { token, body })).status).toBe(200);
      expect(await Promise.all([elsewhere, moved, retried, last].map(days))).toEqual(
        [3.5, 7, 10.5, 14].map((expected) => expect.closeTo(expected, 1)),
      );

      await retry(retried!);
      await expect.poll(() => days(retried)).toBeCloseTo(14, 1);
      expect(await Promise.all([elsewhere, moved, last].map(days))).toEqual(
        [3.5, 7, 10.5].map((expected) => expect.closeTo(expected, 1)),
      );

      await dns.setA(elsewhere!, ['192.0.2.7']);
      await service.database.query(
        `UPDATE certificate_limits SET counted_at = now() - interval '3.5 days' WHERE subject = 'domain queue.localhost'`,
      );
      await makeDue(elsewhere!);
      await service.until(user, moved!, 'issued');
      expect(await Promise.all([last, retried].map(days))).toEqual(
        [7, 10.5].map((expected) => expect.closeTo(expected, 1)),
      );
    });
  });

  it('that fail bring those forward that wait for the same limit', async () => {
    const [failing, waiting] = ['a.returned.localhost', 'b.returned.localhost'] as const;
    listener.thumbprint = 'wrong';
    const release = listener.hold();
    await service.createVerified(user, failing);
    const limits = { ...LIMITS, perDomain: 1 };
    await ordering({ limits }, async () => {
      await expect.poll(() => listener.validated.has(failing)).toBe(true);
      await service.createVerified(user, waiting);
      await expect.poll(async () => (await service.get(user, waiting))?.lastError?.code).toBe('RATE_LIMITED');
      listener.thumbprint = 'wrong';
      release();
      await service.until(user, failing, 'failed');
      await expect.poll(async () => (await orders(waiting)).length).toBe(1);
    });
  });

  it('that the authority refuses leave nothing to continue', async () => {
    const host = 'refused.localhost';
    await service.createVerified(user, host);
    await ordering({}, async () => {
      expect((await service.until(user, host, 'failed')).lastError?.code).toBe('CA_REFUSED');
    });
    expect(
      await service.database.query('SELECT pending_order, pending_key FROM certificates WHERE host = $1', [
        host,
      ]),
    ).toEqual([{ pending_order: null, pending_key: null }]);
  });

  it('are limited per set of names and week, orders before the upgrade included', async () => {
    const host = 'again.localhost';
    await service.createVerified(user, host);
    await service.database.query(
      `INSERT INTO certificate_orders (id, directory, registered_domain, host, created_at)
       VALUES ('before-the-upgrade', $1, $2, $2, now() - interval '2 hours')`,
      [pebble.directoryUrl, host],
    );
    await ordering({ limits: { ...LIMITS, perDomain: 100 } }, async () => {
      await service.until(user, host, 'issued');
      const { token } = user;
      expect((await service.api.call('DELETE', `/certificates/${host}`, { token })).status).toBe(200);
      await retry(host);
      const waiting = () => service.get(user, host).then((one) => one?.lastError?.message);
      await expect.poll(waiting).toMatch(/2 certificates per week for exactly again\.localhost/);
    });
    expect(await orders(host)).toHaveLength(2);
  });

  it('are limited by themselves below each name of a private suffix', async () => {
    const hosts = ['a', 'b', 'c'].map((label) => `${label}.github.io`);
    await service.database.query(
      `INSERT INTO redirects (id, user_id, from_domain, to_domain, to_host, redirect_type, path_forwarding,
         query_forwarding, sampling_rate, verification_value, verified_at)
       SELECT host, $2, host, 'https://new.example', 'new.example', 'permanent', true, true, 1, '', now()
       FROM unnest($1::text[]) AS host`,
      [hosts, user.id],
    );
    await ordering({}, async () => {
      for (const host of hosts) await service.until(user, host, 'issued');
    });
  });

  it('are not continued with another key', async () => {
    const host = 'rekeyed.localhost';
    await service.createVerified(user, host);
    const release = listener.hold();
    const first = await openCertificates(service.database, { acme, dnsServers: [dns.address] });
    startJobs(first);
    await expect.poll(() => listener.validated.has(host)).toBe(true);
    await stopJobs(first);
    release();
    await makeDue(host, ", claim = NULL, pending_key = '\\x00'");
    await ordering({}, () => service.until(user, host, 'issued').then(() => undefined));
    expect(await orders(host)).toHaveLength(2);
  });

  it('are not placed for certificates of another SECRET_KEY before an hour, and the right key brings all back', async () => {
    const host = 'mistaken.localhost';
    await service.createVerified(user, host);
    await ordering({}, () => service.until(user, host, 'issued').then(() => undefined));
    const original = await fingerprint(host);

    await ordering({ secret: OTHER_SECRET }, async () => {
      await makeDue(host);
      const isPostponed = async () => {
        const [row] = await service.database.query<{ seconds: number }>(
          `SELECT extract(epoch FROM next_attempt_at - now())::float AS seconds FROM certificates
           WHERE host = $1 AND claim IS NULL`,
          [host],
        );
        return (row?.seconds ?? 0) > 3_000;
      };
      await expect.poll(isPostponed).toBe(true);
    });
    expect(await fingerprint(host)).toBe(original);
    expect(await orders(host)).toHaveLength(1);

    await ordering({ secret: OTHER_SECRET, keyGraceMs: 0 }, async () => {
      await makeDue(host);
      await expect.poll(() => fingerprint(host)).not.toBe(original);
    });
    await ordering({}, async () => {
      await expect.poll(() => fingerprint(host)).toBe(original);
    });
    const [row] = await service.database.query<{ sealed: string }>(
      'SELECT sealed FROM certificates WHERE host = $1',
      [host],
    );
    expect(createCertificateSealing(SECRET).open(original ?? '', row?.sealed ?? '')).toHaveProperty(
      'privateKey',
    );
    expect((await service.get(user, host))?.state).toBe('issued');
    const again = await openCertificates(service.database, { acme });
    expect((await again.answer([])).challengeThumbprints).toEqual([thumbprint]);
  });

  it.each([
    ['ahead', 200 * DAY_MS],
    ['behind', -200 * DAY_MS],
  ])('are placed once by a machine whose clock is %s', async (name, skewMs) => {
    const host = `clock-${name}.localhost`;
    await service.createVerified(user, host);
    const begunMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(begunMs + skewMs);
    await ordering({}, async () => {
      await service.until(user, host, 'issued');
      for (let times = 0; times < 2; times += 1) {
        await makeDue(host);
        const isLookedAt = async () => {
          const [row] = await service.database.query(
            'SELECT FROM certificates WHERE host = $1 AND claim IS NULL AND next_attempt_at > now()',
            [host],
          );
          return row !== undefined;
        };
        await expect.poll(isLookedAt).toBe(true);
      }
    });
    expect(await orders(host)).toHaveLength(1);
  });
});
