import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import type { AcmeConfig, PublicTarget } from '../../../shared/config/acme-config.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { startApi, type TestApi, type TestUser } from '../../http/api.fixture.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Database } from '../../storage/postgres/database.js';
import { createDomainVerifier } from '../domains/domain-verification.js';
import { redirectRepository } from '../redirects/redirect-repository.js';
import { createRedirectRoutes } from '../redirects/redirect-routes.js';
import { createRedirectService } from '../redirects/redirect-service.js';
import { createVerificationService } from '../redirects/verification-service.js';
import { createWebhooks } from '../webhooks/public.js';
import type { CertificateDetail } from './certificate-schema.js';
import { type Certificates, type CertificatesDeps, createCertificates } from './certificates.js';

export const SECRET = Buffer.from('a secret key of this installation');

export type CertificatesOptions = Partial<
  Pick<
    CertificatesDeps,
    | 'dnsServers'
    | 'limits'
    | 'leaseSeconds'
    | 'timeLimitMs'
    | 'keyGraceMs'
    | 'certificatesDir'
    | 'knownForSeconds'
    | 'secret'
    | 'previousSecrets'
    | 'metrics'
  >
> & {
  readonly acme?: AcmeConfig | undefined;
  readonly target?: PublicTarget;
  readonly database?: Database;
  readonly logger?: Logger;
};

/** The certificates of one control plane on a database that others may share. It is not started. */
export function openCertificates(
  database: Database,
  { acme, target, secret, metrics, logger, ...options }: CertificatesOptions,
): Promise<Certificates> {
  return createCertificates({
    database,
    outbox: createRulesetOutbox(database),
    secret: secret ?? SECRET,
    acme,
    target: target ?? { addresses: [], cname: undefined },
    metrics: metrics ?? new Registry(),
    isOperator: async () => false,
    logger: logger ?? pino({ level: 'silent' }),
    knownForSeconds: 0,
    ...options,
  });
}

export function startJobs({ jobs }: Certificates): void {
  for (const job of jobs) job.start();
}

export async function stopJobs({ jobs }: Certificates): Promise<void> {
  await Promise.all(jobs.map((job) => job.stop()));
}

export interface CertificatesApi {
  readonly api: TestApi;
  readonly database: Database;
  readonly certificates: Certificates;
  /** Creates a redirect and verifies its host. */
  createVerified(user: TestUser, host: string): Promise<string>;
  get(user: TestUser, host: string): Promise<CertificateDetail | undefined>;
  /** Waits for a certificate in this state. */
  until(user: TestUser, host: string, state: CertificateDetail['state']): Promise<CertificateDetail>;
  /** Returns the definition that data planes serve at a host. */
  served(host: string): Promise<RedirectDefinition | undefined>;
  /** Returns the types and data of a user's events so far, in their order. */
  events(user: TestUser): Promise<{ type: string; data: Record<string, unknown> }[]>;
  close(): Promise<void>;
}

/** The areas of redirects and certificates on a real database, with background work. */
export async function startCertificatesApi(options: CertificatesOptions = {}): Promise<CertificatesApi> {
  let certificates: Certificates | undefined;
  const api = await startApi({
    ...(options.database && { database: options.database }),
    areas: async ({ database, logger }) => {
      const outbox = createRulesetOutbox(database);
      const deps = { database, outbox, repository: redirectRepository };
      certificates = await createCertificates({
        ...{ database, outbox, logger, secret: SECRET, acme: undefined, metrics: new Registry() },
        ...{ target: { addresses: [], cname: undefined }, knownForSeconds: 0 },
        isOperator: (user) => api.accounts.isOperator(user),
        ...options,
      });
      const webhooks = createWebhooks({
        ...{
          database,
          secrets: { current: SECRET, previous: [] },
          allowPrivate: true,
          metrics: new Registry(),
          logger,
        },
      });
      return [
        createRedirectRoutes({
          database,
          service: createRedirectService(deps),
          verification: createVerificationService({ ...deps, verifier: createDomainVerifier() }),
          usageOf: async () => ({ usage: new Map(), freshUntilMs: 0 }),
          certificatesOf: (hosts) => certificates!.recordsOf(hosts),
        }),
        ...certificates.routes,
        ...webhooks.routes,
      ];
    },
  });
  startJobs(certificates!);
  const { database } = api;

  async function get(user: TestUser, host: string): Promise<CertificateDetail | undefined> {
    const { status, json } = await api.call('GET', `/certificates/${host}`, { token: user.token });
    return status === 200 ? json : undefined;
  }

  return {
    api,
    database,
    certificates: certificates!,
    async createVerified(user, fromDomain) {
      const body = { fromDomain, toDomain: 'https://new.example' };
      const { status, json } = await api.call('POST', '/add-redirect', { token: user.token, body });
      expect(status).toBe(201);
      return json.id;
    },
    get,
    async until(user, host, state) {
      let found: CertificateDetail | undefined;
      await expect
        .poll(async () => {
          found = await get(user, host);
          return found?.state ?? 'none';
        })
        .toBe(state);
      return found!;
    },
    async served(host) {
      const { redirects } = await readSnapshot(createRulesetRepository(database));
      return redirects.find((redirect) => redirect.host === host);
    },
    async events(user) {
      const rows = await database.query<{ type: string; payload: string }>(
        'SELECT type, payload FROM webhook_events WHERE user_id = $1 ORDER BY created_at, id',
        [user.id],
      );
      return rows.map(({ type, payload }) => ({ type, data: JSON.parse(payload).data }));
    },
    async close() {
      await stopJobs(certificates!);
      await api.close();
    },
  };
}
