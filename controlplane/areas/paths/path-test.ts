import { setImmediate as nextTurn } from 'node:timers/promises';
import { inTurns } from '../../../shared/async/in-turns.js';
import { memoryPages } from '../../../shared/paths/memory-pages.js';
import type { PathOptions } from '../../../shared/paths/path-entry.js';
import { EXACT } from '../../../shared/paths/path-key.js';
import { matchPath, type PathMatch, type PathPages } from '../../../shared/paths/path-matcher.js';
import { statusIn } from '../../../shared/paths/path-page.js';
import { publishTableInSteps } from '../../../shared/paths/publish-table.js';
import type { PublishedPaths } from '../../../shared/paths/published-paths.js';
import { readUrl } from '../../../shared/process/read-url.js';
import { UNKNOWN_BESIDE_URL, type Visitor } from '../../../shared/rules/attributes.js';
import type { RegexGuard } from '../../../shared/rules/regex-guard.js';
import { type CompiledRedirect, compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { isRedirectStatus, PathRoute } from '../../../shared/ruleset/path-route.js';
import { queryValues } from '../../../shared/visitor/query-values.js';
import { AppError } from '../../errors/app-error.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import type { Database } from '../../storage/postgres/database.js';
import { decidingDefinition, type Redirect, type RedirectService } from '../redirects/public.js';
import { type Rule, ruleRepository } from '../rules/public.js';
import { pathRepository } from './path-repository.js';
import type { TestedPath } from './path-schema.js';
import { readStaged } from './path-versions.js';
import { checkEntries } from './table-replacement.js';
import type { CheckedWholeTable } from './whole-tables.js';

/** URLs decided per turn of the event loop, at most 5 ms of work. */
const URLS_PER_TURN = 250;

/** Finds the destinations of URLs with the code of data planes. Records nothing. */
export interface PathTest {
  /** Tests the served table. */
  live(userId: string, redirectId: string, urls: readonly string[]): Promise<TestedPath[]>;
  /**
   * Tests the staged table. Its entries get their ids when they are published, so `entryId` is null.
   *
   * @throws {AppError} NOT_FOUND without one
   */
  staged(userId: string, redirectId: string, urls: readonly string[]): Promise<TestedPath[]>;
  /** Tests a redirect that is not live. `entryId` is null for entries of a table that is not live. */
  draft(redirect: Redirect, drafted: DraftedParts, urls: readonly string[]): Promise<TestedPath[]>;
}

/** Parts of a redirect that are not live. For undefined parts the served ones are used. */
export interface DraftedParts {
  readonly rules: readonly Rule[] | undefined;
  readonly paths: CheckedWholeTable | undefined;
}

export interface PathTestDeps {
  readonly database: Database;
  readonly redirects: Pick<RedirectService, 'requireOwned'>;
  /** Limits the time of regexes in rules. */
  readonly guard: RegexGuard;
}

export function createPathTest({ database, redirects, guard }: PathTestDeps): PathTest {
  async function compile(
    redirect: Redirect,
    paths: PublishedPaths | null | undefined,
    drafted?: readonly Rule[],
  ) {
    const rules = drafted ?? (await ruleRepository.listOfRedirect(database, redirect.id));
    const active = rules.filter(({ status }) => status === 'active').map(ruleDefinitionOf);
    return compileRedirect(decidingDefinition(redirect, active, paths), guard);
  }

  async function decideAll(compiled: CompiledRedirect, pages: PathPages, urls: readonly string[]) {
    const results: TestedPath[] = [];
    for (const [index, url] of urls.entries()) {
      if (index % URLS_PER_TURN === URLS_PER_TURN - 1) await nextTurn();
      results.push(decide(compiled, pages, url, `urls.${index}`));
    }
    return results;
  }

  async function decideLive(redirect: Redirect, rules: readonly Rule[] | undefined, urls: readonly string[]) {
    const table = await pathRepository.findTable(database, redirect.id);
    const pages = await pathRepository.pagesOf(database, redirect.id, table?.published ?? {});
    const results = await decideAll(await compile(redirect, table?.published, rules), pages, urls);
    const ids = results.flatMap(({ entryId }) => (entryId === null ? [] : [entryId]));
    const sources = await pathRepository.sourcesOf(database, redirect.id, [...new Set(ids)]);
    return results.map((result) => ({ ...result, source: sources.get(result.entryId ?? 0) ?? null }));
  }

  async function decideBeside(
    redirect: Redirect,
    rules: readonly Rule[] | undefined,
    { options, entries, prepared }: Omit<CheckedWholeTable, 'diagnostics'>,
    urls: readonly string[],
  ) {
    const { paths, pages } = await inTurns(publishTableInSteps(prepared, options, 0));
    const results = await decideAll(await compile(redirect, paths, rules), memoryPages(pages), urls);
    return results.map((result) => ({
      ...result,
      entryId: null,
      source: entries[(result.entryId ?? 0) - 1]?.source ?? null,
    }));
  }

  return {
    async live(userId, redirectId, urls) {
      return decideLive(await redirects.requireOwned(redirectId, userId), undefined, urls);
    },

    async staged(userId, redirectId, urls) {
      const redirect = await redirects.requireOwned(redirectId, userId);
      const { options, entries } = await readStaged(database, redirectId);
      const numbered = entries.map((entry, index) => ({ ...entry, id: index + 1 }));
      const checked = { tx: database, redirect };
      const { entries: prepared } = await checkEntries(checked, options, numbered);
      return decideBeside(redirect, undefined, { options, entries, prepared }, urls);
    },

    draft: (redirect, { rules, paths }, urls) =>
      paths === undefined ? decideLive(redirect, rules, urls) : decideBeside(redirect, rules, paths, urls),
  };
}

function decide(compiled: CompiledRedirect, pages: PathPages, text: string, field: string): TestedPath {
  const url = readUrl(text.startsWith('/') ? `http://${exampleHost(compiled.host)}${text}` : text);
  if (url === undefined) {
    throw new AppError('VALIDATION_ERROR', { field, message: `${field} must be an absolute URL or a path.` });
  }
  const { pathname: path, hostname } = url;
  const query = url.search.slice(1);
  const answer = { url: text, entryId: null, source: null };
  const outcome = compiled.matcher?.decide(urlVisitor(path, query));
  if (outcome?.target !== undefined) {
    const route = compiled.routeOf(outcome);
    return {
      ...answer,
      statusCode: route.statusCode,
      location: route.location(path, query, hostname),
      reason: 'rule',
    };
  }
  const { paths } = compiled;
  const match = paths && matchPath(paths.table, pages, path, () => query);
  if (paths !== undefined && match !== undefined) {
    const reason = match.shape === EXACT ? 'exact' : 'pattern';
    return { ...answer, entryId: match.id, ...ledBy(compiled, match, { path, query, hostname }), reason };
  }
  const unmatched: PathOptions['unmatched'] = paths?.table.unmatched ?? 'destination';
  const notFound = paths?.unmatched;
  if (notFound !== undefined && typeof notFound !== 'string') {
    const { statusCode } = notFound;
    return { ...answer, statusCode, location: notFound.location(path, query), reason: unmatched };
  }
  if (unmatched === 'not_found') return { ...answer, statusCode: 404, location: null, reason: unmatched };
  if (unmatched === 'gone') return { ...answer, statusCode: 410, location: null, reason: unmatched };
  const own = compiled.routeOf(undefined);
  return {
    ...answer,
    statusCode: own.statusCode,
    location: own.location(path, query, hostname),
    reason: unmatched,
  };
}

function ledBy(
  { paths }: CompiledRedirect,
  match: PathMatch,
  { path, query, hostname }: { path: string; query: string; hostname: string },
): { statusCode: number; location: string | null } {
  const statusCode = statusIn(match.code);
  if (paths === undefined || !isRedirectStatus(statusCode)) return { statusCode, location: null };
  const route = new PathRoute().lead(paths, match, statusCode, hostname);
  return { statusCode, location: route.location(path, query) };
}

function exampleHost(host: string): string {
  return host.replace('*', 'www');
}

/** Returns a visitor with only a URL. Percentages below 100 exclude it. */
function urlVisitor(path: string, query: string): Visitor {
  return {
    ...UNKNOWN_BESIDE_URL,
    urlPath: () => path,
    queryValues: (param) => queryValues(query, param),
    hourOfDay: () => new Date().getUTCHours(),
    dayOfWeek: () => new Date().getUTCDay(),
    nowMs: () => Date.now(),
    draw: () => 1 - Number.EPSILON,
  };
}
