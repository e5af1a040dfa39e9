import { isDeepStrictEqual } from 'node:util';
import type { BulkOperation, Client, Redirect } from '../../client/src/index.js';
import { findByHost } from '../find-redirect.js';
import type { RedirectFile, WantedRedirect } from './redirect-file.js';

/** One change of a plan. */
export interface Change {
  readonly host: string;
  readonly op: 'create' | 'update' | 'delete';
  /** Values before and after, by member. */
  readonly members: Readonly<Record<string, { readonly before?: unknown; readonly after?: unknown }>>;
  /** The redirect that is changed, and its version when the plan was made. */
  readonly id?: string;
  readonly version?: number;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly unchanged: number;
}

/** Maximum hosts to find one by one. Reading all redirects is faster for more. */
const MAX_LOOKUPS = 200;

/** Compares a file with the server. */
export async function makePlan(client: Client, file: RedirectFile): Promise<Plan> {
  const current = await readCurrent(client, file);
  const changes = file.redirects.flatMap((wanted) =>
    changeOf(tagged(wanted, file.tag, current.get(wanted.host)), current.get(wanted.host)),
  );
  const wantedHosts = new Set(file.redirects.map(({ host }) => host));
  const superfluous = [...current.values()].filter(
    ({ fromDomain, tags }) =>
      file.tag !== undefined && tags.includes(file.tag) && !wantedHosts.has(fromDomain),
  );
  const deletions = superfluous.map(({ id, fromDomain, toDomain, version }) => ({
    host: fromDomain,
    op: 'delete' as const,
    members: { toDomain: { before: toDomain } },
    id,
    version,
  }));
  return {
    changes: [...changes, ...deletions].sort((one, other) => (one.host < other.host ? -1 : 1)),
    unchanged: file.redirects.length - changes.length,
  };
}

/** Reads the redirects that the file names, and those with its tag. */
async function readCurrent(client: Client, file: RedirectFile): Promise<Map<string, Redirect>> {
  const found = new Map<string, Redirect>();
  const readsAll = file.redirects.length > MAX_LOOKUPS;
  if (readsAll || file.tag !== undefined) {
    const tag = readsAll ? undefined : file.tag;
    for await (const redirect of client.redirects.list({ limit: 200, tag }))
      found.set(redirect.fromDomain, redirect);
  }
  if (!readsAll) {
    for (const { host } of file.redirects.filter((one) => !found.has(one.host))) {
      const redirect = await findByHost(client, host);
      if (redirect !== undefined) found.set(host, redirect);
    }
  }
  return found;
}

/** Adds the tag of the file to the tags of the entry, or to those that the redirect has. */
function tagged(
  wanted: WantedRedirect,
  tag: string | undefined,
  current: Redirect | undefined,
): WantedRedirect {
  const tags = wanted.members.tags ?? current?.tags ?? [];
  if (tag === undefined || !Array.isArray(tags) || tags.includes(tag)) return wanted;
  return { ...wanted, members: { ...wanted.members, tags: [...tags, tag] } };
}

function changeOf({ host, members }: WantedRedirect, current: Redirect | undefined): Change[] {
  if (current === undefined) {
    const created = Object.entries(members).map(([name, after]) => [name, { after }]);
    return [{ host, op: 'create', members: Object.fromEntries(created) }];
  }
  const before = current as unknown as Readonly<Record<string, unknown>>;
  const different = Object.entries(members).filter(([name, after]) => !isSame(name, before[name], after));
  if (different.length === 0) return [];
  const changed = different.map(([name, after]) => [name, { before: before[name], after }]);
  const { id, version } = current;
  return [{ host, op: 'update', members: Object.fromEntries(changed), id, version }];
}

function isSame(name: string, before: unknown, after: unknown): boolean {
  if (name === 'tags' && Array.isArray(before) && Array.isArray(after)) {
    return isDeepStrictEqual([...before].sort(), [...after].sort());
  }
  const isTime = name === 'startsAt' || name === 'endsAt';
  if (isTime && typeof before === 'string' && typeof after === 'string') {
    return before === after || Date.parse(before) === Date.parse(after);
  }
  return isDeepStrictEqual(before, after);
}

/** Returns a change in the form of `POST /redirects/bulk`. */
export function operationOf({ host, op, id, members }: Change): BulkOperation {
  const after = Object.fromEntries(Object.entries(members).map(([name, change]) => [name, change.after]));
  if (op === 'create') return { op, fromDomain: host, ...after };
  return { op, ...(id !== undefined && { id }), ...(op === 'update' && after) };
}
