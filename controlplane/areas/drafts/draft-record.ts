import type { DraftRecord } from './draft-schema.js';
import type { DraftView } from './draft-service.js';

/** Returns a draft as the API shows it. */
export function draftRecord({ draft, redirect, tried, broken, error }: DraftView): DraftRecord {
  const { definition, writtenBy, lastError } = draft;
  return {
    ...(definition as Pick<DraftRecord, 'redirect' | 'rules' | 'paths'>),
    redirectId: draft.redirectId,
    baseVersion: draft.baseVersion,
    currentVersion: redirect.version,
    publishAt: draft.publishAt?.toISOString() ?? null,
    lastError,
    errors: error === undefined ? [] : [error],
    brokenExamples: [...broken],
    diagnostics: [...(tried?.paths?.diagnostics ?? [])],
    createdAt: draft.createdAt.toISOString(),
    updatedAt: draft.updatedAt.toISOString(),
    updatedBy: { userId: writtenBy.id, email: writtenBy.email, tokenId: writtenBy.tokenId ?? null },
  };
}
