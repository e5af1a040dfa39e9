import type { Static } from 'typebox';
import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import type { PathTest } from '../paths/public.js';
import { type Rule, type RuleTestAnswer, type RuleTestRequest, ruleRepository } from '../rules/public.js';
import { draftedRules, shownId } from './definition.js';
import type { TestDraftSchema, TestedDraftSchema } from './draft-schema.js';
import type { DraftService } from './draft-service.js';

type DraftTestRequest = Partial<RuleTestRequest> & Pick<Static<typeof TestDraftSchema>, 'urls'>;
type DraftTestAnswer = Static<typeof TestedDraftSchema>;

export interface DraftTestDeps {
  readonly database: Database;
  readonly drafts: Pick<DraftService, 'try'>;
  readonly testRules: (
    redirect: Parameters<PathTest['draft']>[0],
    rules: readonly Rule[],
    request: RuleTestRequest,
  ) => RuleTestAnswer;
  readonly testPaths: PathTest['draft'];
}

export type TestDraft = ReturnType<typeof createDraftTest>;

/**
 * Creates a function that computes the answers of a draft to visitors and URLs. It records nothing, and throws as
 * `DraftService.try`.
 */
export function createDraftTest({ database, drafts, testRules, testPaths }: DraftTestDeps) {
  return async (
    user: CurrentUser,
    redirectId: string,
    { urls, userAttributes, ...options }: DraftTestRequest,
  ): Promise<DraftTestAnswer> => {
    const { redirect, rules: replaced, paths } = await drafts.try(user, redirectId);
    const rules =
      replaced === undefined
        ? await ruleRepository.listOfRedirect(database, redirectId)
        : draftedRules(replaced);
    const answer = userAttributes && testRules(redirect, rules, { ...options, userAttributes });
    return {
      ...(answer && withoutDraftedIds(answer)),
      ...(urls && { results: await testPaths(redirect, { rules, paths }, urls) }),
    };
  };
}

function withoutDraftedIds({ result, explanation, ...answer }: RuleTestAnswer): DraftTestAnswer {
  return {
    ...answer,
    result: result && { ...result, ruleId: shownId(result.ruleId) },
    ...(explanation && { explanation: explanation.map((one) => ({ ...one, ruleId: shownId(one.ruleId) })) }),
  };
}
