import { originOf, pathLocation } from '../../../shared/paths/path-location.js';
import { matchPath, type PathPages } from '../../../shared/paths/path-matcher.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import type { RedirectDefinition } from '../../../shared/ruleset/redirect-definition.js';
import { createRulesetRepository } from '../../publishing/ruleset-repository.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { pathRepository } from './path-repository.js';

/** A redirect that a way passes. */
export interface ServedNode {
  /** Returns where a request for `url` leads for every visitor; undefined if that is not certain, or if it leads nowhere. */
  next(url: URL): string | undefined;
}

/** The redirects of this service by host. */
export interface ServedNodes {
  /** Returns undefined for a host that is not served here, and after too many redirects were read. */
  at(host: string): Promise<ServedNode | undefined>;
}

/** Maximum redirects that are read for one table. Ways through further ones are not followed. */
const MAX_NODES = 64;
/** Maximum hosts that are looked up for one table. */
const MAX_HOSTS = 2_000;

/**
 * Reads redirects as they are served.
 *
 * @param hosts are looked up together; others, one by one
 */
export async function readServedNodes(tx: Queryable, hosts: readonly string[]): Promise<ServedNodes> {
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
    // The most exact name comes first.
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

/** The host and the wildcards that cover it, the most exact first. */
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
      // Rules and dates decide by visitor and time.
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
