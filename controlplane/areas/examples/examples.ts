import type { Area } from '../../area.js';
import { inPart } from '../../errors/app-error.js';
import type { Database } from '../../storage/postgres/database.js';
import { type Drafts, draftedRules } from '../drafts/public.js';
import type { RedirectService } from '../redirects/public.js';
import type { VisitorInsight } from '../rules/public.js';
import { createExampleRoutes } from './example-routes.js';
import { createExampleService } from './example-service.js';

export interface ExamplesDeps {
  readonly database: Database;
  readonly redirects: RedirectService;
  readonly insight: VisitorInsight;
  /** Public port of HTTPS. Default: 443. */
  readonly publicHttpsPort?: number;
  readonly drafts: Pick<Drafts['service'], 'try'>;
}

/** Examples of redirects: required answers to visitors, checked before each change. */
export function createExamples(deps: ExamplesDeps): Area {
  const service = createExampleService({
    ...deps,
    async tryDraft(user, redirectId, draft) {
      const { drafts } = deps;
      const tried = await (draft === true
        ? drafts.try(user, redirectId)
        : inPart('draft', () => drafts.try(user, redirectId, draft)));
      return { ...tried, rules: tried.rules && draftedRules(tried.rules) };
    },
  });
  return { routes: [createExampleRoutes(service)], jobs: [] };
}
