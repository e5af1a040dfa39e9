import { ApiError, type ApiErrorFacts } from '../../data/api-error';
import type { Draft } from '../../data/drafts';

const REFUSED = 422;

/**
 * Saves a part of the draft that a form edits. A draft may hold what would be refused; the form shows that beside its
 * fields. Errors name members of the draft, the form knows only its own.
 *
 * @param prefix member of the draft, such as `redirect` or `rules.3`
 */
export async function inPart(prefix: string, work: Promise<Draft>): Promise<void> {
  const { errors } = await work.catch((error: unknown) => {
    throw error instanceof ApiError && isPart(prefix, error.field) ? ofPart(prefix, error) : error;
  });
  const problem = errors.find(({ field }) => isPart(prefix, field));
  if (problem !== undefined) throw ofPart(prefix, { ...problem, status: REFUSED });
}

const isPart = (prefix: string, field: string | undefined) => field?.startsWith(`${prefix}.`) === true;

function ofPart(prefix: string, facts: ApiErrorFacts): ApiError {
  const { status, code, message, body, field = '' } = facts;
  return new ApiError({ status, code, message, body, field: field.slice(prefix.length + 1) });
}
