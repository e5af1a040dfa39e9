import type { Queryable } from '../../storage/postgres/database.js';
import {
  type Actor,
  type RecordedVersion,
  type RedirectState,
  recordAudit,
  recordEachVersion,
  recordVersions,
  redirectDelta,
  type VersionAction,
} from '../history/public.js';
import type { Redirect, StoredSettings } from './redirect.js';
import { writtenSettings } from './redirect-rows.js';

/** A redirect with everything that its versions keep. */
type Stated = StoredSettings & Pick<Redirect, 'id' | 'fromDomain' | 'version' | 'verifiedAt'>;

/** A redirect before and after a change. */
export type RedirectChange =
  | { readonly before: Stated; readonly after: Stated }
  /** A new redirect. */
  | { readonly before: null; readonly after: Pick<Stated, 'id' | 'fromDomain' | 'version'> };

/** A change of a redirect, with its owner and who made it. */
export type OwnedChange = RedirectChange & { readonly userId: string; readonly by: Actor };

/** Members named in a summary. */
const MAX_NAMED = 8;

/** Returns the state of a redirect that its versions keep. */
export function redirectState(
  redirect: Omit<Stated, 'id' | 'version'>,
  { isDeleted = false } = {},
): RedirectState {
  return {
    fromDomain: redirect.fromDomain,
    ...writtenSettings(redirect),
    isVerified: redirect.verifiedAt !== null && !isDeleted,
    isDeleted,
  };
}

const SUMMARIES: Partial<Record<VersionAction, string>> = {
  'redirect.created': 'Created',
  'redirect.deleted': 'Deleted',
  'redirect.restored': 'Restored',
  'redirect.verified': 'Domain verified',
  'redirect.unverified': 'Domain no longer verified',
};

/**
 * Records versions of redirects of one owner that changed together, with the current version numbers of their rows.
 *
 * @param by null for the service itself
 */
export async function recordRedirects(
  tx: Queryable,
  userId: string,
  by: Actor | null,
  action: VersionAction,
  changes: readonly RedirectChange[],
): Promise<void> {
  const versions = changes.map((change) => versionOf(action, change));
  const [only] = versions;
  const summary =
    only && versions.length === 1 ? summaryOf(action, only) : (SUMMARIES[action] ?? 'Changed settings');
  await recordVersions(tx, { userId, by, action, summary }, versions);
}

/** Does the same as `recordRedirects` for redirects of any owners, with an entry for each. */
export function recordEachRedirect(
  tx: Queryable,
  action: 'redirect.created' | 'redirect.updated',
  changes: readonly OwnedChange[],
): Promise<void> {
  const recorded = changes.map(({ userId, by, ...change }) => {
    const version = versionOf(action, change);
    return { userId, by, action, summary: summaryOf(action, version), version };
  });
  return recordEachVersion(tx, recorded);
}

function versionOf(
  action: VersionAction,
  { before, after }: RedirectChange,
): RecordedVersion & { version: number } {
  const named = { redirectId: after.id, name: after.fromDomain, version: after.version };
  if (before === null) return { ...named, delta: null };
  const stateBefore = redirectState(before, { isDeleted: action === 'redirect.restored' });
  const stateAfter = redirectState(after, { isDeleted: action === 'redirect.deleted' });
  return { ...named, delta: redirectDelta(stateBefore, stateAfter) };
}

function summaryOf(action: VersionAction, { delta }: RecordedVersion): string {
  return SUMMARIES[action] ?? changedMembers(delta?.redirect ?? {});
}

function changedMembers(changed: object): string {
  const names = Object.keys(changed);
  if (names.length === 0) return 'Saved without a change';
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return `Changed ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}

/** Adds an entry about a redirect to the audit log, for a change that makes no version. */
export function recordAside(
  tx: Queryable,
  { id, userId, fromDomain }: Pick<Redirect, 'id' | 'userId' | 'fromDomain'>,
  by: Actor,
  action: Parameters<typeof recordAudit>[1]['action'],
  summary: string,
): Promise<void> {
  return recordAudit(tx, { userId, by, action, resourceId: id, resourceName: fromDomain, summary });
}
