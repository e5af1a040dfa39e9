import type { PublishedPage } from '../../shared/paths/published-paths.js';
import type { RedirectDefinition } from '../../shared/ruleset/redirect-definition.js';
import type { RulesetChange, RulesetSnapshot } from '../../shared/ruleset/ruleset-feed.js';
import type { RulesetVersion } from '../../shared/ruleset/ruleset-version.js';
import { MAX_CHANGES_PER_DELTA, type RulesetPage, type RulesetRepository } from './ruleset-repository.js';

/** Redirects per statement. A statement takes about 50 ms. Other work can use the embedded database in between. */
const HOSTS_PER_PAGE = 2_000;
/** Minimum size of the pages after one that was shortened because of long rules. */
const MIN_HOSTS_PER_PAGE = 16;
/** Pages of paths in one statement: 5 MB at most, usually. */
const PATH_PAGES_PER_PAGE = 200;
/** Pages between two reads of the change log. Frequent reads finish before old entries are trimmed. */
const PAGES_BETWEEN_LOOKS = 32;

/** The change log no longer has all changes since the reading began, so it must start again. */
export class ReadingOutdated extends Error {
  override name = 'ReadingOutdated';
}

/** A part of a ruleset. Later parts override earlier ones. */
export interface RulesetPart {
  readonly changes: readonly RulesetChange[];
  /** The version of all parts so far; absent until it is reached. */
  readonly version?: RulesetVersion;
}

/**
 * Reads a ruleset in parts, without locks or transactions. The first parts are pages of hosts, each in its current
 * state. Then come the hosts that changed since the reading began. The last part is one delta that ends at one version.
 */
export interface RulesetReading {
  /** Number of redirects read so far. */
  readonly redirectsRead: number;
  /** Number of pages of paths read so far. */
  readonly pathPagesRead: number;
  /**
   * Returns the next part. After an error the next call repeats this part. After the part with a version, the next
   * call reads later changes.
   *
   * @throws {ReadingOutdated} when only a new reading helps
   */
  next(): Promise<RulesetPart>;
}

interface PageRows {
  readonly last: string;
  readonly redirects: number;
}

interface PageUnderWay {
  /** Resolves when the database has answered. Stays pending where it found nothing. */
  readonly rows: Promise<PageRows>;
  readonly page: Promise<RulesetPage>;
}

/** @param since reads the changes after this version; without it, everything */
export function createRulesetReading(
  repository: Pick<
    RulesetRepository,
    'readHead' | 'readPage' | 'readPathPages' | 'readHosts' | 'readChangedHosts' | 'readDelta'
  >,
  since?: RulesetVersion,
): RulesetReading {
  /** Version that all data has at least. */
  let base = since;
  /** Hosts that changed up to `base` and must be read again. */
  const changed = new Set<string>();
  let pages: 'some left' | 'path pages left' | 'read' = since === undefined ? 'some left' : 'read';
  let lastKey = '';
  let pathPagesRead = 0;
  /** The page after the last one that was returned. */
  let ahead: PageUnderWay | undefined;
  let lastHost = '';
  let limit = HOSTS_PER_PAGE;
  let pagesRead = 0;
  let redirectsRead = 0;

  function begin(after: string, size: number): PageUnderWay {
    let page: Promise<RulesetPage> | undefined;
    const rows = new Promise<PageRows>((resolve) => {
      page = repository.readPage(after, size, (last, redirects) => resolve({ last, redirects }));
      // The caller that awaits the page gets the error.
      page.catch(() => undefined);
    });
    return { rows, page: page ?? Promise.reject(new Error('the page is not read')) };
  }

  async function readPage(): Promise<RulesetPart> {
    if (pagesRead > 0 && pagesRead % PAGES_BETWEEN_LOOKS === 0) await look();
    const current = ahead ?? begin(lastHost, limit);
    ahead = undefined;
    let hasFailed = false;
    // The database reads the next page while this process makes definitions of this one, and lines of those.
    void current.rows.then(({ last, redirects }) => {
      if (!hasFailed) ahead = begin(last, limitAfter(redirects));
    });
    try {
      const { redirects, last } = await current.page;
      if (last === undefined) pages = 'path pages left';
      else lastHost = last;
      pagesRead += 1;
      redirectsRead += redirects.length;
      limit = limitAfter(redirects.length);
      return { changes: redirects.map((redirect) => ({ host: redirect.host, redirect })) };
    } catch (error) {
      hasFailed = true;
      ahead = undefined;
      throw error;
    }
  }

  async function readPathPages(): Promise<RulesetPart> {
    if (pagesRead % PAGES_BETWEEN_LOOKS === 0) await look();
    const changes = await repository.readPathPages(lastKey, PATH_PAGES_PER_PAGE);
    pagesRead += 1;
    pathPagesRead += changes.length;
    const last = changes.at(-1);
    if (last === undefined) pages = 'read';
    else lastKey = last.host;
    return { changes };
  }

  /** Adds the hosts that have changed since the last call. */
  async function look(): Promise<void> {
    if (base === undefined) return;
    const found = await repository.readChangedHosts(base);
    if (found === undefined) throw new ReadingOutdated('the change log does not reach back far enough');
    base = found.version;
    for (const host of found.hosts) changed.add(host);
  }

  async function readChanged(): Promise<RulesetPart> {
    const hosts = [...changed].slice(0, HOSTS_PER_PAGE);
    const changes = await repository.readHosts(hosts);
    for (const { host } of changes) changed.delete(host);
    return { changes };
  }

  async function readLast(from: RulesetVersion): Promise<RulesetPart> {
    const delta = await repository.readDelta(from, MAX_CHANGES_PER_DELTA);
    if (delta === undefined) {
      await look();
      return changed.size > 0 ? readChanged() : readLast(base ?? from);
    }
    base = delta.version;
    return delta.hasMore ? { changes: delta.changes } : { changes: delta.changes, version: delta.version };
  }

  return {
    get redirectsRead() {
      return redirectsRead;
    },
    get pathPagesRead() {
      return pathPagesRead;
    },
    async next() {
      base ??= await repository.readHead();
      if (pages === 'some left') return readPage();
      if (pages === 'path pages left') return readPathPages();
      if (changed.size > 0) return readChanged();
      return readLast(base);
    },
  };
}

/** Rows beyond the limit would be read in vain. */
function limitAfter(redirects: number): number {
  return Math.min(HOSTS_PER_PAGE, Math.max(MIN_HOSTS_PER_PAGE, 2 * redirects));
}

/** Reads the whole ruleset into one snapshot, for data planes in this process and for tests. */
export async function readSnapshot(repository: RulesetRepository): Promise<RulesetSnapshot> {
  const byHost = new Map<string, RedirectDefinition>();
  const pages = new Map<string, PublishedPage>();
  for (let reading = createRulesetReading(repository); ; ) {
    try {
      const { changes, version } = await reading.next();
      for (const { host, redirect, page } of changes) {
        if (redirect === null) byHost.delete(host);
        else byHost.set(host, redirect);
        if (page === undefined) pages.delete(host);
        else pages.set(host, { host, page });
      }
      if (version === undefined) continue;
      const redirects = [...byHost.values()];
      return pages.size === 0 ? { version, redirects } : { version, redirects, pages: [...pages.values()] };
    } catch (error) {
      if (!(error instanceof ReadingOutdated)) throw error;
      byHost.clear();
      pages.clear();
      reading = createRulesetReading(repository);
    }
  }
}
