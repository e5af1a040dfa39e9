import type { Logger } from 'pino';
import type { Area } from '../../area.js';
import type { RoundWork } from '../../jobs/background-work.js';
import type { PlanOf } from '../../plan.js';
import type { RulesetOutbox } from '../../publishing/ruleset-outbox.js';
import type { Database } from '../../storage/postgres/database.js';
import type { StateOf } from '../history/public.js';
import type { Paths } from '../paths/public.js';
import type { Redirects } from '../redirects/public.js';
import type { Rules } from '../rules/public.js';
import { createDefinitionApplier } from './apply-definition.js';
import { createDraftPublisher } from './draft-publisher.js';
import { createDraftRoutes } from './draft-routes.js';
import { createDraftService, type DraftService, type ExamplesOfDrafts } from './draft-service.js';
import { createDraftTest } from './draft-test.js';

export interface DraftsDeps {
  readonly database: Database;
  readonly outbox: RulesetOutbox;
  readonly redirects: Pick<Redirects, 'service' | 'changes' | 'answers'>;
  readonly rules: Pick<Rules, 'replacement' | 'testDraft'>;
  readonly paths: Pick<Paths, 'testDraft'>;
  readonly examples: ExamplesOfDrafts;
  readonly stateOf: StateOf;
  readonly planOf: PlanOf;
  readonly logger: Logger;
}

export interface Drafts extends Area {
  readonly service: DraftService;
  readonly publisher: RoundWork<number>;
}

/**
 * Drafts of redirects: writing, testing and publishing them, now or at a scheduled time. Rollbacks to earlier versions.
 */
export function createDrafts(deps: DraftsDeps): Drafts {
  const { database, outbox, examples, stateOf, planOf, logger } = deps;
  const { service: redirects, changes, answers } = deps.redirects;
  const rules = deps.rules.replacement;
  const applier = createDefinitionApplier({ database, outbox, redirects, changes, rules, stateOf });
  const service = createDraftService({ database, redirects, rules, applier, examples, stateOf });
  const publisher = createDraftPublisher({ database, applier, planOf, logger });
  return {
    service,
    publisher,
    routes: [
      createDraftRoutes({
        drafts: service,
        testDraft: createDraftTest({
          database,
          drafts: service,
          testRules: deps.rules.testDraft,
          testPaths: deps.paths.testDraft,
        }),
        applier,
        answers,
      }),
    ],
    jobs: [publisher],
  };
}
