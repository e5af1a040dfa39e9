import { createPauses } from '../../../shared/async/in-turns.js';
import { sampleLabels, sampleUrl } from '../../../shared/paths/check-table.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import type { PathEntry } from '../../../shared/paths/path-entry.js';
import { originOf, pathLocation } from '../../../shared/paths/path-location.js';
import { codeOf } from '../../../shared/paths/path-page.js';
import { type PreparedEntry, servesHost } from '../../../shared/paths/publish-table.js';
import { readUrl } from '../../../shared/process/read-url.js';
import { normalizeHost } from '../../../shared/ruleset/host-name.js';
import { requestKey, significantPort } from '../../../shared/ruleset/requested-url.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { readServedNodes, type ServedNodes } from './served-nodes.js';

/** Maximum redirects that browsers follow. */
const MAX_HOPS = 20;
/** Maximum entries whose way is followed. */
const MAX_FOLLOWED = 10_000;
/** Maximum diagnostics that are returned. */
const MAX_DIAGNOSTICS = 1_000;

export interface OtherRedirects {
  readonly chains: readonly PathDiagnostic[];
  /** Entries that lead back to themselves, by index, and where they lead. */
  readonly loops: readonly { readonly index: number; readonly location: string }[];
}

/**
 * Follows entries that lead to another redirect of this service, as far as their way is the same for all visitors. Placeholders are
 * filled with a sample.
 *
 * @param entries enabled ones, in the order of `prepared`
 */
export async function followToOthers(
  tx: Queryable,
  redirect: Redirect,
  entries: readonly PathEntry[],
  prepared: readonly PreparedEntry[],
): Promise<OtherRedirects> {
  const { fromDomain, toDomain, toHost, queryForwarding } = redirect;
  const base = { origin: originOf(toDomain), queryForwarding };
  const hostOf = ({ destinationHost, published }: PreparedEntry) =>
    destinationHost ?? (published.isRelative ? toHost : undefined);
  const hosts = new Set(prepared.flatMap((one) => hostOf(one) ?? []));
  const others = [...hosts].filter((host) => !servesHost(fromDomain, host));
  const nodes = await readServedNodes(tx, others);
  const chains: PathDiagnostic[] = [];
  const loops: { index: number; location: string }[] = [];
  const pause = createPauses();
  let followed = 0;
  for (const [index, one] of prepared.entries()) {
    await pause();
    const entry = entries[index];
    const host = hostOf(one);
    if (entry === undefined || host === undefined || servesHost(fromDomain, host)) continue;
    if ((await nodes.at(host)) === undefined) continue;
    followed += 1;
    if (followed > MAX_FOLLOWED) break;
    const start = sampleUrl(entry, fromDomain);
    if (start === undefined) continue;
    const request = { path: start.pathname, query: start.search.slice(1), labels: sampleLabels(fromDomain) };
    const location = pathLocation(one.published.template, codeOf(one.published), base, request);
    const way = await follow(nodes, fromDomain, requestKey(start), location);
    if (way.isLoop) loops.push({ index, location });
    else if (way.end !== location && chains.length < MAX_DIAGNOSTICS)
      chains.push(chainOf(entry, location, way.end));
  }
  return { chains, loops };
}

/** Returns where a way ends, or that it leads back to where it starts. */
async function follow(nodes: ServedNodes, ownHost: string, startKey: string, location: string) {
  let end = location;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const url = readUrl(end);
    if (url === undefined || significantPort(url) !== '') return { end, isLoop: false };
    if (requestKey(url) === startKey) return { end, isLoop: true };
    const host = normalizeHost(url.hostname);
    // The table that is served there is not the one that is checked.
    if (servesHost(ownHost, host)) return { end, isLoop: false };
    const next = (await nodes.at(host))?.next(url);
    if (next === undefined) return { end, isLoop: false };
    end = next;
  }
  return { end, isLoop: true };
}

function chainOf({ source }: PathEntry, other: string, end: string): PathDiagnostic {
  const message = `${source} leads to ${other}, a redirect of this service that leads on to ${end}. Use the last destination to save visitors a request.`;
  return { kind: 'chain', source, other, message };
}
