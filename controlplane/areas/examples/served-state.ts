import { isDeepStrictEqual } from 'node:util';
import type { PathPages } from '../../../shared/paths/path-matcher.js';
import type { PublishedPaths } from '../../../shared/paths/published-paths.js';
import { createRegexGuard } from '../../../shared/rules/regex-guard.js';
import { type CompiledRedirect, compileRedirect } from '../../../shared/ruleset/compiled-redirect.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import type { Queryable } from '../../storage/postgres/database.js';
import { type CheckedWholeTable, pathRepository, readTableFor, tableOfChecked } from '../paths/public.js';
import { decidingDefinition, fallbackDefinition, findFallback, type Redirect } from '../redirects/public.js';
import { type Rule, ruleRepository } from '../rules/public.js';
import type { Visit } from './visit.js';

/** A redirect with its rules and paths, ready to answer visits. */
export interface ServedState {
  readonly redirect: Redirect;
  /** Whether it is disabled and visitors get the fallback of its owner. */
  readonly hasFallback: boolean;
  /** Compiled on first use. */
  readonly compiled: CompiledRedirect;
  readonly pages: PathPages | undefined;
  /** All rules by id, including inactive ones. */
  readonly rules: ReadonlyMap<number, Rule>;
  /** Returns the sources of paths by id. */
  sourcesOf(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** Parts of a redirect that differ from the stored ones. */
export interface DraftedState {
  readonly redirect: Redirect;
  /** Undefined for the stored rules. */
  readonly rules: readonly Rule[] | undefined;
  /** Undefined for the stored paths. */
  readonly paths: CheckedWholeTable | undefined;
}

/** Parts of a state that visits use, as read from the database. */
interface ReadParts {
  readonly rules: readonly Rule[];
  readonly paths: PublishedPaths | undefined;
  readonly pages: PathPages | undefined;
  readonly sourcesOf: ServedState['sourcesOf'];
  /** The URL for visitors while the redirect is disabled; null without one. */
  readonly fallbackUrl: string | null;
}

/** Reads the rules of a redirect, the fallback of its owner, and those pages of its paths that visits need. */
async function readParts(
  source: Queryable,
  { id: redirectId, userId }: Redirect,
  visits: readonly Visit[],
): Promise<ReadParts> {
  const fallbackUrl = await findFallback(source, userId);
  const rules = await ruleRepository.listOfRedirect(source, redirectId);
  const { paths, pages } = await readTableFor(source, redirectId, visits);
  const sourcesOf = (ids: readonly number[]) => pathRepository.sourcesOf(source, redirectId, ids);
  return { rules, paths, pages, sourcesOf, fallbackUrl };
}

/** Reads the state that is stored now. */
export async function storedState(
  source: Queryable,
  redirect: Redirect,
  visits: readonly Visit[],
): Promise<ServedState> {
  return stateOf(redirect, await readParts(source, redirect, visits));
}

/** Returns whether two settings of a redirect give every visit the same answer. */
export function answerAlike(before: Redirect, after: Redirect): boolean {
  const isSame = isDeepStrictEqual(decidingDefinition(before), decidingDefinition(after));
  return isSame && before.enabled === after.enabled;
}

/** Reads the stored rules and paths once, for settings before and after a change. */
export async function statesOfSettings(
  source: Queryable,
  before: Redirect,
  after: Redirect,
  visits: readonly Visit[],
): Promise<readonly [before: ServedState, after: ServedState]> {
  const parts = await readParts(source, before, visits);
  return [stateOf(before, parts), stateOf(after, parts)];
}

/** Makes the state of a draft. Parts that it does not have are read. */
export async function draftedState(
  source: Queryable,
  { redirect, rules, paths }: DraftedState,
  visits: readonly Visit[],
): Promise<ServedState> {
  const stored = await readParts(source, redirect, visits);
  const drafted = { ...stored, ...(rules && { rules }) };
  if (paths === undefined) return stateOf(redirect, drafted);
  const table = await tableOfChecked(paths);
  const sourcesOf = async (ids: readonly number[]) =>
    new Map(ids.map((id) => [id, paths.entries[id - 1]?.source ?? '']));
  return stateOf(redirect, { ...drafted, ...table, sourcesOf });
}

function stateOf(
  redirect: Redirect,
  { rules, paths, pages, sourcesOf, fallbackUrl }: ReadParts,
): ServedState {
  const active = rules.filter(({ status }) => status === 'active').map(ruleDefinitionOf);
  const hasFallback = !redirect.enabled && fallbackUrl !== null;
  const definition = hasFallback
    ? fallbackDefinition(redirect, fallbackUrl)
    : decidingDefinition(redirect, active, paths);
  // A separate guard: regexes get the same time as for visitors of an idle data plane.
  let compiled: CompiledRedirect | undefined;
  return {
    redirect,
    hasFallback,
    pages,
    rules: new Map(rules.map((rule) => [rule.id, rule])),
    sourcesOf,
    get compiled() {
      compiled ??= compileRedirect(definition, createRegexGuard());
      return compiled;
    },
  };
}
