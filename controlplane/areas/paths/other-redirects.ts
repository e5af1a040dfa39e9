import { createPauses } from '../../../shared/async/in-turns.js';
import { sampleLabels, sampleUrl } from '../../../shared/paths/check-table.js';
import type { PathDiagnostic } from '../../../shared/paths/diagnostics.js';
import type { PathEntry } from '../../../shared/paths/path-entry.js';
import { originOf, pathLocation } from '../../../shared/paths/path-location.js';
import { matchPath, type PathPages } from '../../../shared/paths/path-matcher.js';
import { codeOf } from '../../../shared/paths/path-page.js';
import { type PreparedEntry, servesHost } from '../../../shared/paths/publish-table.js';
import { readUrl } from '../../../shared/process/read-url.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { normalizeHost } from '../../../shared/ruleset/host-name.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { requestKey, significantPort } from '../../../shared/ruleset/requested-url.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { Redirect } from '../redirects/public.js';
import { pathRepository } from './path-repository.js';

/** Maximum redirects that browsers follow. */
const MAX_HOPS = 20;
/** Maximum entries that are followed. */
const MAX_FOLLOWED = 10_000;
/** Maximum diagnostics that are returned. */
const MAX_DIAGNOSTICS = 1_000;

export interface OtherRedirects {
  readonly chains: readonly PathDiagnostic[];
  /** Entries that redirect back to themselves, by index, with their destination. */
  readonly loops: readonly { readonly index: number; readonly location: string }[];
}

/**
 * Follows entries that redirect to another redirect of this service, as long as each step is the same for all visitors.
 * Placeholders are filled with a sample.
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

/** Returns the end of a chain, or reports that it returns to its start. */
async function follow(nodes: ServedNodes, ownHost: string, startKey: string, location: string) {
  let end = location;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const url = readUrl(end);
    if (url === undefined || significantPort(url) !== '') return { end, isLoop: false };
    if (requestKey(url) === startKey) return { end, isLoop: true };
    const host = normalizeHost(url.hostname);
    // The served table of this host is not the table that is checked.
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

/** A redirect in a chain. */
interface ServedNode {
  /** Returns the destination of a request for `url`; undefined if there is none, or if it differs between visitors. */
  next(url: URL): string | undefined;
}

/** The redirects of this service by host. */
interface ServedNodes {
  /** Returns undefined for a host that is not served here, and after too many redirects were read. */
  at(host: string): Promise<ServedNode | undefined>;
}

/** Maximum redirects that are read for one table. Chains through further ones are not followed. */
const MAX_NODES = 64;
/** Maximum hosts that are looked up for one table. */
const MAX_HOSTS = 2_000;

/**
 * Reads the served form of redirects.
 *
 * @param hosts are looked up together; other hosts one by one
 */
async function readServedNodes(tx: Queryable, hosts: readonly string[]): Promise<ServedNodes> {
  const published = createRulesetRepository(tx);
  const nodes = new Map<string, ServedNode | undefined>();
  const served = await servedAmong(tx, hosts.slice(0, MAX_HOSTS).flatMap(namesOf));
  for (const host of hosts) if (!namesOf(host).some((name) => served.has(name))) nodes.set(host, undefined);
  let reads = 0;

  async function read(host: string): Promise<ServedNode | undefined> {
    if (reads >= MAX_NODES) return undefined;
    reads += 1;
    const names = namesOf(host);
    const found = await servedAmong(tx, names);
    // The most specific name comes first.
    const name = names.find((one) => found.has(one));
    if (name === undefined) return undefined;
    const [change] = await published.readHosts([name]);
    if (change?.redirect == null) return undefined;
    const { redirect } = change;
    const { id, paths } = redirect;
    const pages = paths && (await pathRepository.pagesOf(tx, id, paths));
    return nodeOf(redirect, pages, host);
  }

  return {
    async at(host) {
      if (!nodes.has(host)) nodes.set(host, await read(host));
      return nodes.get(host);
    },
  };
}

/** Returns the host and the wildcards that cover it, the most specific first. */
function namesOf(host: string): string[] {
  const labels = host.split('.');
  return [host, ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`)];
}

async function servedAmong(tx: Queryable, names: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ host: string }>(
    `SELECT from_domain AS host FROM redirects
     WHERE from_domain = ANY($1) AND verified_at IS NOT NULL AND enabled AND deleted_at IS NULL`,
    [[...new Set(names)]],
  );
  return new Set(rows.map(({ host }) => host));
}

function nodeOf(definition: RedirectDefinition, pages: PathPages | undefined, host: string): ServedNode {
  const compiled = compileRedirect(definition, createRegexGuard());
  const base = { origin: originOf(definition.destination), queryForwarding: definition.queryForwarding };
  const labels = definition.host.startsWith('*.') ? host.slice(0, 1 - definition.host.length) : '';
  return {
    next(url) {
      // The result of rules and dates depends on the visitor and the time.
      if (compiled.matcher !== undefined || compiled.schedule !== undefined) return undefined;
      const { pathname: path } = url;
      const query = url.search.slice(1);
      const { paths } = compiled;
      const match = paths && pages && matchPath(paths.table, pages, path, () => query);
      if (match !== undefined) {
        if (match.template === '') return undefined;
        return pathLocation(match.template, match.code, base, { path, query, labels });
      }
      if (paths?.table.unmatched !== undefined) return undefined;
      return compiled.routeOf(undefined).location(path, query, host);
    },
  };
}
