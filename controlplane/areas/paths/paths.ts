import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { Area } from '../../area.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import type { RedirectService } from '../redirects/public.js';
import { createEntryHitsReader } from './entry-hits.js';
import { createPathExportRoutes } from './path-export-routes.js';
import { createMergePaths, type MergePaths } from './path-import.js';
import { pathRepository } from './path-repository.js';
import { createPathRoutes } from './path-routes.js';
import { createPathService } from './path-service.js';
import { createPathTest } from './path-test.js';

export interface PathsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly store: AnalyticsStore;
  readonly redirects: RedirectService;
}

/** Tables of paths: their entries, their options, and tests of where URLs lead. */
export function createPaths({
  database,
  outbox,
  store,
  redirects,
}: PathsDeps): Area & { readonly merge: MergePaths } {
  const repository = pathRepository;
  return {
    merge: createMergePaths({ repository, redirects }),
    routes: [
      createPathRoutes({
        service: createPathService({ database, outbox, repository, redirects }),
        test: createPathTest({ database, repository, redirects, guard: createRegexGuard() }),
        hitsOf: createEntryHitsReader(store),
      }),
      createPathExportRoutes({ database, repository, redirects }),
    ],
    jobs: [],
  };
}
