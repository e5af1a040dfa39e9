import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { createRulesetOutbox } from '../../publishing/ruleset-outbox.js';
import { type RulesApi, startRulesApi } from '../rules/rules-api.fixture.js';
import type { EntryHits } from './entry-hits.js';
import { createPathRoutes } from './path-routes.js';
import { createPathService } from './path-service.js';
import { createPathTest } from './path-test.js';
import { createPathVersions } from './path-versions.js';
import { createVersionRoutes } from './version-routes.js';

/** The API with tables of paths. @param hits of entries, by id; may grow */
export function startPathsApi(hits: ReadonlyMap<number, EntryHits> = new Map()): Promise<RulesApi> {
  return startRulesApi({
    areas({ database, redirects }) {
      const deps = { database, outbox: createRulesetOutbox(database), redirects };
      const test = createPathTest({ ...deps, guard: createRegexGuard() });
      return [
        createPathRoutes({ service: createPathService(deps), test, hitsOf: async () => hits }),
        createVersionRoutes({ versions: createPathVersions(deps), test }),
      ];
    },
  });
}
