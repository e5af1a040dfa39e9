import { type ErrorCode, WaymarkError } from '@waymark/client';
import type { Draft } from '../../data/drafts';

const REFUSED = 422;

/**
 * Waits for `work`, which saves the draft, and throws the first problem of the form's part as an error of the form. A
 * draft with problems can be saved. Errors of the API name members of the draft. This function translates them into
 * members of the form.
 *
 * @param prefix member of the draft, such as `redirect` or `rules.3`
 */
export async function inPart(prefix: string, work: Promise<Draft>): Promise<void> {
  const { errors } = await work.catch((error: unknown) => {
    throw error instanceof WaymarkError && isPart(prefix, error.field) ? ofPart(prefix, error) : error;
  });
  const problem = errors.find(({ field }) => isPart(prefix, field));
  if (problem !== undefined) throw ofPart(prefix, { ...problem, status: REFUSED });
}

const isPart = (prefix: string, field: string | undefined) => field?.startsWith(`${prefix}.`) === true;

interface Facts {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly body?: unknown;
}

function ofPart(prefix: string, { code, field = '', status, message, body }: Facts): WaymarkError {
  const inForm = field.slice(prefix.length + 1);
  return new WaymarkError({ status, code: code as ErrorCode, message, body, field: inForm });
}
