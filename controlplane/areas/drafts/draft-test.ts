import type { CurrentUser } from '../../http/current-user.js';
import type { Database } from '../../storage/postgres/database.js';
import type { PathTest, TestedPath } from '../paths/public.js';
import { type Rule, type RuleTestAnswer, type RuleTestRequest, ruleRepository } from '../rules/public.js';
import type { DraftService } from './draft-service.js';
import { draftedRules, shownId } from './drafted-rules.js';

/** A visitor as for a test of live rules, and URLs as for a test of live paths. */
export interface DraftTestRequest extends Partial<RuleTestRequest> {
  readonly urls?: readonly string[];
}

type WithoutRuleId<Part> = Omit<Part, 'ruleId'> & { readonly ruleId: number | null };

/** Answers of both tests. New rules have no id. */
export interface DraftTestAnswer extends Partial<Omit<RuleTestAnswer, 'result' | 'explanation'>> {
  readonly result?: WithoutRuleId<NonNullable<RuleTestAnswer['result']>> | null;
  readonly explanation?: WithoutRuleId<NonNullable<RuleTestAnswer['explanation']>[number]>[];
  readonly results?: TestedPath[];
}

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

/** Says what visitors and URLs would get of a draft. Counts nothing. @throws {AppError} as `DraftService.try` */
export type TestDraft = (
  user: CurrentUser,
  redirectId: string,
  request: DraftTestRequest,
) => Promise<DraftTestAnswer>;

export function createDraftTest({ database, drafts, testRules, testPaths }: DraftTestDeps): TestDraft {
  return async (user, redirectId, { urls, userAttributes, ...options }) => {
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
