import {
  DEFAULT_CACHE_SECONDS,
  type RedirectDefinition,
} from '../../../shared/ruleset/redirect-definition.js';
import { AppError } from '../../errors/app-error.js';
import { ruleDefinitionOf } from '../../publishing/rule-definitions.js';
import type { Queryable } from '../../storage/postgres/database.js';
import type { VersionState } from '../history/public.js';
import { buildTable, type NewTable, type ReadTable, readLiveTable } from '../paths/public.js';
import {
  changedSettings,
  findLoopOfDraft,
  patchedSettings,
  type Redirect,
  type UpdateRedirect,
} from '../redirects/public.js';
import { parseNewRule, type Rule, requireBoundedRules, ruleRepository } from '../rules/public.js';
import type { ReplayedDefinition } from './replay.js';
import type { DraftRule } from './replay-schema.js';

/** The part of a rule that decides. */
export type DecidingRule = Pick<
  Rule,
  'id' | 'name' | 'status' | 'conditions' | 'conditionLogic' | 'action' | 'startDate' | 'endDate'
>;

/** Parts of a definition. Missing parts are those of the stored redirect. */
export interface ReplayedDraft {
  readonly redirect?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly DraftRule[];
  readonly paths?: NewTable;
}

/** Rules of a draft in a request are active unless they say otherwise. Rules of a stored draft are as it would publish them. */
export type DraftKind = 'given' | 'stored';

/**
 * Returns the definition that visits are judged by: the stored one, changed as a draft says.
 *
 * @throws {AppError} VALIDATION_ERROR or REDIRECT_LOOP naming the field of the draft
 */
export async function replayedDefinition(
  source: Queryable,
  redirect: Redirect,
  draft: ReplayedDraft = {},
  kind: DraftKind = 'given',
): Promise<ReplayedDefinition> {
  const stored = await ruleRepository.listOfRedirect(source, redirect.id);
  const changed = await within('draft.redirect', () => draftedRedirect(redirect, draft));
  const rules = draft.rules === undefined ? stored : await draftedRules(draft.rules, stored, kind);
  return assembled(source, { redirect, changed, stored, rules, paths: draft.paths });
}

/**
 * Returns the definition that a redirect had at a version.
 *
 * @throws {AppError} VALIDATION_ERROR when a part of it is no longer accepted
 */
export async function formerDefinition(
  source: Queryable,
  redirect: Redirect,
  former: VersionState,
): Promise<ReplayedDefinition> {
  const { redirect: state, paths } = former;
  const stored = await ruleRepository.listOfRedirect(source, redirect.id);
  const changed = await within('version', () => ({
    ...redirect,
    ...changedSettings(redirect, state as unknown as UpdateRedirect),
  }));
  const table: NewTable = {
    options: paths.options,
    entries: paths.entries.map(({ id: _, ...entry }) => ({
      ...entry,
      query: entry.query && { ...entry.query },
    })),
  };
  return assembled(source, { redirect, changed, stored, rules: rulesOfState(former), paths: table });
}

/** Returns the rules of a state. */
export function rulesOfState({ rules }: VersionState): DecidingRule[] {
  return rules.map((rule) => ({
    ...rule,
    startDate: rule.startDate === null ? null : new Date(rule.startDate),
    endDate: rule.endDate === null ? null : new Date(rule.endDate),
  }));
}

interface Parts {
  readonly redirect: Redirect;
  /** The redirect with the settings to judge by. */
  readonly changed: Redirect;
  readonly stored: readonly Rule[];
  readonly rules: readonly DecidingRule[];
  readonly paths: NewTable | undefined;
}

async function assembled(
  source: Queryable,
  { redirect, changed, stored, rules, paths }: Parts,
): Promise<ReplayedDefinition> {
  const table = await tableOf(source, changed, paths);
  const loop = await findLoopOfDraft(source, redirect.id, {
    fromDomain: redirect.fromDomain,
    toHost: changed.toHost,
    rules: rules.filter((rule) => isLive(rule, new Date())),
  });
  return {
    definition: definitionOf(changed, rules, table, redirect),
    ...(paths !== undefined && { draftTable: paths }),
    tableVersion: table.version,
    ruleNames: [...new Map([...stored, ...rules].map(({ id, name }) => [id, name]))],
    loop: loop ?? [],
  };
}

/** Reads or builds the table of paths of a definition. @throws {AppError} when a draft of it is refused */
export async function tableOf(
  source: Queryable,
  redirect: Redirect,
  draft: NewTable | undefined,
): Promise<ReadTable> {
  if (draft === undefined) return readLiveTable(source, redirect.id);
  return within('draft.paths', () => buildTable(source, redirect, draft));
}

/** Start time of a disabled redirect: the last time of a `Date`. Visitors therefore never find the redirect. */
const NEVER_MS = 8_640_000_000_000_000;

/** Returns the definition that data planes would have, as far as it decides about visitors who reach the redirect. */
export function definitionOf(
  redirect: Redirect,
  rules: readonly DecidingRule[],
  table: Pick<ReadTable, 'paths'>,
  recorded: Pick<Redirect, 'queryRecording'> = redirect,
): RedirectDefinition {
  const { statusCode, startsAt, endsAt, afterEnd, notFound, appendQuery } = redirect;
  const active = rules.filter(({ status }) => status === 'active').map(ruleDefinitionOf);
  return {
    id: redirect.id,
    host: redirect.fromDomain,
    destination: redirect.toDomain,
    redirectType: redirect.redirectType,
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    samplingRate: 0,
    ...(redirect.cacheSeconds !== DEFAULT_CACHE_SECONDS && { cacheSeconds: redirect.cacheSeconds }),
    ...(recorded.queryRecording !== 'full' && { queryRecording: recorded.queryRecording }),
    ...(active.length > 0 && { rules: active }),
    ...(table.paths !== undefined && { paths: table.paths }),
    ...((statusCode === 307 || statusCode === 308) && { statusCode }),
    ...(startsAt !== null && { startsAt: startsAt.getTime() }),
    ...(!redirect.enabled && { startsAt: NEVER_MS }),
    ...(endsAt !== null && { endsAt: endsAt.getTime() }),
    ...(endsAt !== null && afterEnd !== null && { afterEnd }),
    ...(notFound !== null && { notFound }),
    ...(Object.keys(appendQuery).length > 0 && { appendQuery }),
  };
}

function draftedRedirect(redirect: Redirect, { redirect: patch }: ReplayedDraft): Redirect {
  return patch === undefined ? redirect : { ...redirect, ...patchedSettings(redirect, patch) };
}

/** Rules without an id get negative ones: no draw and no cookie of a stored rule is theirs. */
async function draftedRules(
  inputs: readonly DraftRule[],
  stored: readonly Rule[],
  kind: DraftKind,
): Promise<DecidingRule[]> {
  const known = new Set(stored.map(({ id }) => id));
  const rules: (DecidingRule & { readonly place: number })[] = [];
  for (const [index, { id, ...input }] of inputs.entries()) {
    const field = `draft.rules.${index}`;
    if (id !== undefined && !known.delete(id)) {
      const message = `${field}.id must be the id of a rule of this redirect, each once, or be left out.`;
      throw new AppError('VALIDATION_ERROR', { field: `${field}.id`, message });
    }
    const settings = await within(field, () =>
      parseNewRule(kind === 'given' ? { status: 'active', ...input } : input),
    );
    rules.push({ ...settings, id: id ?? -index - 1, place: input.priority ?? Number.POSITIVE_INFINITY });
  }
  const conditions = rules.reduce((sum, rule) => sum + rule.conditions.length, 0);
  await within('draft.rules', () => requireBoundedRules({ conditions, bytes: 0 }));
  // Rules without a priority come last, in the order of the list.
  return rules.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place));
}

function isLive({ status, startDate, endDate }: DecidingRule, at: Date): boolean {
  return (
    status === 'active' && (startDate === null || startDate <= at) && (endDate === null || endDate >= at)
  );
}

/** Runs `work`, and prepends `place` to the field of its error. The error then names the field of the request. */
async function within<Result>(place: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, field } = error;
    throw new AppError(code, { message, field: field === undefined ? place : `${place}.${field}` });
  }
}
