import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import type { Area } from '../../area.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { AnalyticsStore } from '../../storage/clickhouse/analytics-store.js';
import type { Database } from '../../storage/postgres/database.js';
import type { PathEntries } from '../analytics/public.js';
import type { RedirectService } from '../redirects/public.js';
import { createEntryDirectory, createEntryHitsReader } from './entry-hits.js';
import { createPathExportRoutes } from './path-export-routes.js';
import { createMergePaths, type MergePaths } from './path-import.js';
import { createPathRoutes } from './path-routes.js';
import { createPathService } from './path-service.js';
import { createPathTest, type PathTest } from './path-test.js';
import { createPathVersions } from './path-versions.js';
import { createVersionRoutes } from './version-routes.js';

export interface PathsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly store: AnalyticsStore;
  readonly redirects: RedirectService;
}

export interface Paths extends Area {
  /** Statistics of entries. */
  readonly entries: PathEntries;
  /** Merges imported entries into a table. */
  readonly merge: MergePaths;
  /** Finds the destinations of URLs in a redirect that is not live. */
  readonly testDraft: PathTest['draft'];
}

/** Path tables: entries, options, and tests of URLs. */
export function createPaths({ database, outbox, store, redirects }: PathsDeps): Paths {
  const hitsOf = createEntryHitsReader(store);
  const test = createPathTest({ database, redirects, guard: createRegexGuard() });
  const versions = createPathVersions({ database, outbox, redirects });
  return {
    testDraft: test.draft,
    merge: createMergePaths({ redirects }),
    routes: [
      createPathRoutes({
        service: createPathService({ database, outbox, redirects }),
        test,
        hitsOf,
      }),
      createVersionRoutes({ versions, test }),
      createPathExportRoutes({ database, redirects }),
    ],
    jobs: [],
    entries: createEntryDirectory({ database, store, hitsOf }),
  };
}
