import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { OwnerMails } from '../../mail/owner-mails.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createTableStatistics } from '../../storage/postgres/table-statistics.js';
import { createDomainVerifier } from '../domains/public.js';
import { createOperations } from './bulk/bulk-operations.js';
import { createBulkRoutes } from './bulk/bulk-routes.js';
import { createBulkService } from './bulk/bulk-service.js';
import { createOperationBatches, type OperationBatches } from './bulk/operation-batches.js';
import { createCreateMany } from './create-many.js';
import { createRedirectPurge } from './deleted-redirects.js';
import { createDomainRecheck } from './domain-recheck.js';
import { type ExampleGuard, NO_EXAMPLES } from './example-guard.js';
import { createExportRoutes } from './export-routes.js';
import { createFallbackPasses } from './fallback-passes.js';
import { createFallbackRoutes } from './fallback-routes.js';
import { createProofRecheck } from './proof-recheck.js';
import { createRedirectAnswers, type RedirectAnswers } from './redirect-answers.js';
import { createRedirectChanges, type RedirectChanges } from './redirect-changes.js';
import { type CertificatesOf, createRecords, type UsageOf } from './redirect-records.js';
import { redirectRepository } from './redirect-repository.js';
import { createRedirectRoutes } from './redirect-routes.js';
import { createRedirectService, type RedirectService } from './redirect-service.js';
import { createSearchIndex } from './search-index.js';
import { createTakenDomains } from './taken-domains.js';
import { createVerificationService } from './verification-service.js';
import { createZoneProofRoutes } from './zone-proof-routes.js';

/** Tables besides `redirects` that grow with each creation. */
const TABLES_OF_CREATIONS = ['redirect_versions', 'audit_log', 'ruleset_changes'];

export interface RedirectsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  /** Default: the system's resolver. */
  readonly dnsServers: readonly string[] | undefined;
  /** Whether names under `.localhost` need no proof. */
  readonly allowLocalhost: boolean;
  readonly usageOf: UsageOf;
  readonly certificatesOf: CertificatesOf;
  readonly ownerMails: OwnerMails;
  /** Default: no examples. */
  readonly examples?: ExampleGuard;
  readonly logger: Logger;
}

export interface Redirects extends Area {
  readonly service: RedirectService;
  readonly batches: OperationBatches;
  readonly changes: RedirectChanges;
  readonly answers: RedirectAnswers;
}

/** Redirects, the verification of their domains, and the background checks of pending ones. */
export function createRedirects(deps: RedirectsDeps): Redirects {
  const { database, outbox, dnsServers, allowLocalhost, usageOf, certificatesOf, ownerMails, logger } = deps;
  const { examples = NO_EXAMPLES } = deps;
  const verifier = createDomainVerifier({ dnsServers, allowLocalhost });
  const { isLocal } = verifier;
  const statistics = createTableStatistics(database, ['redirects', ...TABLES_OF_CREATIONS], logger);
  const service = createRedirectService({ database, outbox, isLocal, examples, statistics });
  const changes = createRedirectChanges(isLocal, examples);
  const batches = createOperationBatches({
    operations: createOperations(changes),
    createMany: createCreateMany(isLocal),
    onTaken: createTakenDomains({ database, logger }),
  });
  const verification = createVerificationService({ database, outbox, verifier });
  const passes = createFallbackPasses({ database, outbox, logger });
  return {
    service,
    batches,
    changes,
    answers: createRedirectAnswers(createRecords(usageOf, certificatesOf)),
    routes: [
      createRedirectRoutes({ database, service, verification, usageOf, certificatesOf }),
      createFallbackRoutes({ database, outbox, passes }),
      createZoneProofRoutes({ database }),
      createBulkRoutes({
        runBulk: createBulkService({
          outbox,
          batches,
          logger,
          statistics,
        }),
      }),
      createExportRoutes({ readPage: service.listPage }),
    ],
    jobs: [
      createDomainRecheck({ database, repository: redirectRepository, verification, logger }),
      createProofRecheck({ database, outbox, verifier, ownerMails, logger }),
      createRedirectPurge({ database, logger }),
      createSearchIndex({ database, logger }),
      passes,
    ],
  };
}
