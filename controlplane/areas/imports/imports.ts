import type { Logger } from 'pino';
import { DEFAULT_PATH_OPTIONS } from '../../../shared/paths/path-entry.js';
import type { Area } from '../../area.js';
import type { PlanOf } from '../../plan.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import { createTableStatistics } from '../../storage/postgres/table-statistics.js';
import { type MergePaths, pathRepository, pathTable } from '../paths/public.js';
import { type OperationBatches, operationTable, type RedirectService } from '../redirects/public.js';
import { createImportRetention } from './import-retention.js';
import { createImportRoutes } from './import-routes.js';
import { createImportRunner, type ImportRunner } from './import-runner.js';
import { createImportService } from './import-service.js';
import { createStoreUpload } from './import-upload.js';
import { createInOneTransaction } from './in-one-transaction.js';
import { createPartByPart } from './part-by-part.js';
import { createUploadRoutes } from './upload-routes.js';

export interface ImportsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  readonly batches: OperationBatches;
  readonly mergePaths: MergePaths;
  readonly planOf: PlanOf;
  readonly logger: Logger;
}

/** Imports of files. Files are stored while they arrive, and applied in the background. */
export function createImports(deps: ImportsDeps): Area & { readonly runner: ImportRunner } {
  const { database, redirects, planOf, logger } = deps;
  const service = createImportService(database);
  const statistics = {
    redirects: createTableStatistics(database, ['redirects', 'redirect_versions'], logger),
    paths: createTableStatistics(database, ['path_entries', 'path_pages'], logger),
  };
  const runner = createImportRunner({
    database,
    partByPart: createPartByPart({ ...deps, statistics: statistics.redirects }),
    inOneTransaction: createInOneTransaction({ ...deps, statistics }),
    planOf,
    logger,
  });
  return {
    runner,
    routes: [
      createUploadRoutes({
        store: createStoreUpload(database, { redirects: operationTable, paths: pathTable }),
        service,
        redirects,
        async pathOptionsOf(redirectId) {
          return (await pathRepository.findTable(database, redirectId))?.options ?? DEFAULT_PATH_OPTIONS;
        },
      }),
      createImportRoutes({ service, database }),
    ],
    jobs: [runner, createImportRetention(database, logger)],
  };
}
