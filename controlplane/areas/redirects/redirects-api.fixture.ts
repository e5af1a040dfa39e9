import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import type { Area } from '../../area.js';
import {
  type ApiAnswer,
  type ApiParts,
  startApi,
  type TestApi,
  type TestApiOptions,
} from '../../http/api.fixture.js';
import { createOwnerMails } from '../../mail/owner-mails.js';
import { createRulesetOutbox, type RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { readSnapshot } from '../../publishing/ruleset-reading.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { MonthlyUsage } from '../analytics/usage.js';
import { type DnsServer, startDnsServer } from '../domains/dns-server.fixture.js';
import { createDomainVerifier } from '../domains/domain-verification.js';
import { createOperations } from './bulk/bulk-operations.js';
import { createBulkRoutes } from './bulk/bulk-routes.js';
import { createBulkService } from './bulk/bulk-service.js';
import { createOperationBatches } from './bulk/operation-batches.js';
import { createCreateMany } from './create-many.js';
import { createDomainRecheck, type DomainRecheck } from './domain-recheck.js';
import { createExportRoutes } from './export-routes.js';
import { createFallbackPasses, type FallbackPasses } from './fallback-passes.js';
import { createFallbackRoutes } from './fallback-routes.js';
import { createProofRecheck, type ProofRecheck } from './proof-recheck.js';
import { createRedirectChanges } from './redirect-changes.js';
import { redirectRepository } from './redirect-repository.js';
import { createRedirectRoutes } from './redirect-routes.js';
import { createRedirectService } from './redirect-service.js';
import { createTakenDomains } from './taken-domains.js';
import { createVerificationService } from './verification-service.js';
import { createZoneProofRoutes } from './zone-proof-routes.js';

/** Hosts of a page of a changed fallback. */
export const PAGE_SIZE = 100;

export interface RedirectsApi {
  readonly api: TestApi;
  readonly dns: DnsServer;
  readonly recheck: DomainRecheck;
  readonly proofs: ProofRecheck;
  readonly passes: FallbackPasses;
  /** Usage by redirect id, in place of the statistics. Tests may set it. */
  readonly usage: Map<string, MonthlyUsage>;
  /** Makes `usageOf` fail, or work again. */
  failUsage(fails: boolean): void;
  create(token: string, body: object): Promise<ApiAnswer>;
  /** Creates a redirect and proves its domain. */
  createVerified(token: string, body: { fromDomain: string; toDomain: string }): Promise<ApiAnswer['json']>;
  /** Returns the hosts that changed, in the order of the numbers of the changes. */
  changedHosts(): Promise<string[]>;
  /** Returns the definition that data planes serve at a host. */
  served(host: string): Promise<RedirectDefinition | undefined>;
  close(): Promise<void>;
}

/** Time limits that are long enough for a busy machine. Tests of a silent name server need shorter ones. */
const PATIENT_LOOKUPS = { timeoutMs: 30_000, tries: 1, checkTimeoutMs: 60_000 };

/** Starts the redirects area on a real database and a real name server. */
export async function startRedirectsApi(
  moreAreas: (parts: ApiParts & { readonly outbox: RulesetOutbox }) => readonly Area[] = () => [],
  options: Omit<TestApiOptions, 'areas'> = {},
): Promise<RedirectsApi> {
  const dns = await startDnsServer();
  const usage = new Map<string, MonthlyUsage>();
  let usageFails = false;
  let recheck: DomainRecheck | undefined;
  let proofs: ProofRecheck | undefined;
  let passes: FallbackPasses | undefined;
  const api = await startApi({
    ...options,
    areas: (parts) => {
      const { database, logger } = parts;
      const deps = { database, outbox: createRulesetOutbox(database) };
      const verifier = createDomainVerifier({ dnsServers: [dns.address], ...PATIENT_LOOKUPS });
      const verification = createVerificationService({ ...deps, verifier });
      recheck = createDomainRecheck({ ...deps, repository: redirectRepository, verification, logger });
      const ownerMails = createOwnerMails(parts.mails);
      proofs = createProofRecheck({ ...deps, verifier, ownerMails, logger });
      passes = createFallbackPasses({ ...deps, logger, pageSize: PAGE_SIZE });
      const changes = createRedirectChanges(verifier.isLocal);
      const batches = createOperationBatches({
        operations: createOperations(changes),
        createMany: createCreateMany(verifier.isLocal),
        onTaken: createTakenDomains({ database, logger }),
      });
      return [
        ...moreAreas({ ...parts, outbox: deps.outbox }).flatMap(({ routes }) => routes),
        createRedirectRoutes({
          database,
          service: createRedirectService(deps),
          verification,
          usageOf: async () => {
            if (usageFails) throw new Error('the statistics are away');
            return { usage, freshUntilMs: 0 };
          },
        }),
        createFallbackRoutes({ ...deps, passes }),
        createZoneProofRoutes({ database }),
        createBulkRoutes({ runBulk: createBulkService({ outbox: deps.outbox, batches, logger }) }),
        createExportRoutes({ readPage: createRedirectService(deps).listPage }),
      ];
    },
  });

  const create = (token: string, body: object) => api.call('POST', '/add-redirect', { token, body });
  return {
    api,
    dns,
    recheck: recheck!,
    proofs: proofs!,
    passes: passes!,
    usage,
    failUsage(fails) {
      usageFails = fails;
    },
    create,
    async createVerified(token, body) {
      const { json } = await create(token, body);
      dns.setTxt(json.verification.name, [json.verification.value]);
      await api.call('POST', '/verify-domain', { token, body: { domain: body.fromDomain } });
      return json;
    },
    async changedHosts() {
      const rows = await api.database.query<{ host: string }>(
        'SELECT host FROM ruleset_changes ORDER BY epoch, seq',
      );
      return rows.map(({ host }) => host);
    },
    async served(host) {
      const { redirects } = await readSnapshot(createRulesetRepository(api.database));
      return redirects.find((redirect) => redirect.host === host);
    },
    async close() {
      await api.close();
      await dns.close();
    },
  };
}
