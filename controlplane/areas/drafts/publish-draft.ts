import type { CurrentUser } from '../../http/current-user.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import type { RuleReplacement } from '../rules/public.js';
import type { DefinitionApplier } from './apply-definition.js';
import { prepareDefinition } from './definition.js';
import type { Draft } from './draft.js';
import { draftChanged } from './draft-refusals.js';
import { draftRepository } from './draft-repository.js';

/**
 * Publishes a draft in one transaction, which also deletes it. It is therefore published only once, even if several processes
 * try.
 *
 * @param accepts throws if the draft must not replace the redirect as it is now
 * @throws {AppError} PRECONDITION_FAILED if the draft is not the one that was read, and the errors of the single requests
 */
export type PublishDraft = (
  user: CurrentUser,
  draft: Draft,
  accepts: (current: Redirect) => void,
) => Promise<Redirect>;

export interface PublishDraftDeps {
  readonly applier: Pick<DefinitionApplier, 'apply'>;
  readonly rules: Pick<RuleReplacement, 'parse'>;
}

export function createPublishDraft({ applier, rules }: PublishDraftDeps): PublishDraft {
  return async (user, draft, accepts) => {
    const { redirectId } = draft;
    const prepared = await prepareDefinition(draft.definition, rules);
    return applier.apply(user, redirectId, prepared, {
      cause: { action: 'draft.published', summary: summaryOf(draft) },
      async before(tx: Queryable, current: Redirect) {
        const stored = await draftRepository.lock(tx, redirectId);
        if (stored?.version !== draft.version) throw draftChanged();
        accepts(current);
      },
      after: (tx) => draftRepository.delete(tx, redirectId),
    });
  };
}

function summaryOf({ definition: { redirect, rules, paths }, publishAt }: Draft): string {
  const parts = [redirect && 'settings', rules && 'rules', paths && 'paths'].filter(Boolean);
  const what = parts.length === 0 ? 'no change' : parts.join(', ');
  return `Published the draft${publishAt === null ? '' : ' as scheduled'}: ${what}`;
}
