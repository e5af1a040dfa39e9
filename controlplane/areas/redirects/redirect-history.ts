import type { Queryable } from '../../storage/postgres/database.js';
import {
  type Actor,
  type RecordedVersion,
  type RedirectState,
  recordEachVersion,
  recordVersions,
  redirectDelta,
  type VersionAction,
} from '../history/public.js';
import type { Redirect, StoredSettings } from './redirect.js';

/** A redirect with everything that its versions keep. */
type Stated = StoredSettings & Pick<Redirect, 'id' | 'fromDomain' | 'version' | 'verifiedAt'>;

/** A redirect before and after a change. */
export interface RedirectChange {
  /** Null for a new redirect. */
  readonly before: Stated | null;
  readonly after: Stated;
}

/** Members named in a summary. */
const MAX_NAMED = 8;

/** Returns what the versions of a redirect keep of it. */
export function redirectState(
  redirect: Omit<Stated, 'id' | 'version'>,
  { isDeleted = false } = {},
): RedirectState {
  return {
    fromDomain: redirect.fromDomain,
    toDomain: redirect.toDomain,
    redirectType: redirect.redirectType,
    statusCode: redirect.statusCode,
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    samplingRate: redirect.samplingRate,
    cacheSeconds: redirect.cacheSeconds,
    queryRecording: redirect.queryRecording,
    enabled: redirect.enabled,
    tags: redirect.tags,
    note: redirect.note,
    externalId: redirect.externalId,
    startsAt: redirect.startsAt?.toISOString() ?? null,
    endsAt: redirect.endsAt?.toISOString() ?? null,
    afterEnd: redirect.afterEnd,
    responseHeaders: redirect.responseHeaders,
    appendQuery: redirect.appendQuery,
    clickIdParam: redirect.clickIdParam,
    notFound: redirect.notFound,
    httpsMode: redirect.httpsMode,
    hsts: redirect.hsts,
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
 * Records versions of redirects of one owner that changed together, with the numbers that their rows have now.
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
  const [only] = versions.length === 1 ? versions : [];
  const summary =
    SUMMARIES[action] ?? (only ? changedMembers(only.delta?.redirect ?? {}) : 'Changed settings');
  await recordVersions(tx, { userId, by, action, summary }, versions);
}

/** Does what `recordRedirects` does for new redirects. */
export function recordCreations(
  tx: Queryable,
  userId: string,
  by: Actor,
  redirects: readonly Pick<Stated, 'id' | 'fromDomain'>[],
): Promise<void> {
  const versions = redirects.map(({ id, fromDomain }) => ({
    redirectId: id,
    name: fromDomain,
    version: 1,
    delta: null,
  }));
  const action = 'redirect.created';
  return recordVersions(tx, { userId, by, action, summary: SUMMARIES[action] ?? '' }, versions);
}

/** A new redirect, with its owner and who made it. */
export interface RecordedCreation {
  readonly userId: string;
  readonly by: Actor;
  readonly redirect: Pick<Stated, 'id' | 'fromDomain'>;
}

/** Does what `recordRedirects` does for new redirects of any owners, with an entry for each. */
export function recordEachCreation(tx: Queryable, creations: readonly RecordedCreation[]): Promise<void> {
  const action = 'redirect.created' as const;
  const summary = SUMMARIES[action] ?? '';
  const changes = creations.map(({ userId, by, redirect: { id, fromDomain } }) => ({
    userId,
    by,
    action,
    summary,
    version: { redirectId: id, name: fromDomain, version: 1, delta: null },
  }));
  return recordEachVersion(tx, changes);
}

/** A change of a redirect, and who made it. */
export interface RecordedUpdate extends RedirectChange {
  readonly userId: string;
  readonly by: Actor;
}

/** Does what `recordRedirects` does for updates of redirects of any owners, with an entry for each. */
export function recordEachUpdate(tx: Queryable, updates: readonly RecordedUpdate[]): Promise<void> {
  const action = 'redirect.updated' as const;
  const changes = updates.map(({ userId, by, ...change }) => {
    const version = versionOf(action, change);
    return { userId, by, action, summary: changedMembers(version.delta?.redirect ?? {}), version };
  });
  return recordEachVersion(tx, changes);
}

function versionOf(
  action: VersionAction,
  { before, after }: RedirectChange,
): RecordedVersion & { version: number } {
  const { id: redirectId, fromDomain: name, version } = after;
  const stateBefore = before && redirectState(before, { isDeleted: action === 'redirect.restored' });
  const stateAfter = () => redirectState(after, { isDeleted: action === 'redirect.deleted' });
  return { redirectId, name, version, delta: stateBefore && redirectDelta(stateBefore, stateAfter()) };
}

function changedMembers(changed: object): string {
  const names = Object.keys(changed);
  if (names.length === 0) return 'Saved without a change';
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : '';
  return `Changed ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
