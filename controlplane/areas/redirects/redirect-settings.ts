import { DEFAULT_CACHE_SECONDS } from '../../../shared/ruleset/redirect-definition.js';
import {
  type AfterEnd,
  type Hsts,
  MAX_APPENDED_PARAMETERS,
  type NotFound,
} from '../../../shared/ruleset/redirect-options.js';
import { AppError } from '../../errors/app-error.js';
import { mergePatch } from '../../http/merge-patch.js';
import { parseDestination } from '../domains/public.js';
import { parseDateField } from './date-field.js';
import type { Redirect, StoredSettings } from './redirect.js';
import { SETTING_NAMES, writtenSettings } from './redirect-rows.js';
import type { PatchRedirect, RedirectInput } from './redirect-schema.js';
import {
  changedStatusCode,
  DEFAULT_STATUS_CODES,
  newStatusCode,
  typeOfStatusCode,
} from './redirect-status-code.js';
import { responseHeadersOf, withUsualNames } from './response-headers.js';

/**
 * Returns the settings of a new redirect. The input has the shape of its schema.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function newSettings(input: RedirectInput): StoredSettings {
  return settingsOf({ ...input, statusCode: newStatusCode(input) });
}

/**
 * Returns the settings after an update. The update replaces the given members.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function changedSettings(current: Redirect, input: Partial<RedirectInput>): StoredSettings {
  const statusCode = changedStatusCode(current, input);
  return settingsOf({ ...inputOf(current), ...settingsIn(input), statusCode });
}

/**
 * Returns the settings after a JSON Merge Patch. Unlike an update, it can change members of objects, null sets the
 * default, and a `redirectType` without `statusCode` always sets 301 or 302.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function patchedSettings(current: Redirect, patch: PatchRedirect): StoredSettings {
  return settingsOfPatch(patchedInput(current, patch as NullableInput), current, patch);
}

/**
 * Returns the settings after an operation of a bulk request. It replaces objects such as `afterEnd` as a whole; other members
 * are as in a JSON Merge Patch.
 *
 * @throws {AppError} VALIDATION_ERROR naming the field
 */
export function replacedSettings(current: Redirect, members: PatchRedirect): StoredSettings {
  const given: Readonly<Record<string, unknown>> = members;
  const kept = Object.entries(inputOf(current)).filter(([name]) => typeof given[name] !== 'object');
  return settingsOfPatch(Object.fromEntries(kept), current, members);
}

function settingsOfPatch(
  base: Readonly<Record<string, unknown>>,
  current: Redirect,
  patch: PatchRedirect,
): StoredSettings {
  const { redirectType, statusCode, ...others }: NullableInput = settingsIn(patch);
  const type = redirectType === null ? 'permanent' : redirectType;
  const code =
    statusCode === null || (statusCode === undefined && type !== undefined)
      ? DEFAULT_STATUS_CODES[type ?? 'permanent']
      : statusCode;
  const { responseHeaders } = others;
  const named = responseHeaders ? { ...others, responseHeaders: withUsualNames(responseHeaders) } : others;
  const merged = mergePatch(base, named) as RedirectInput;
  const given = { ...(type && { redirectType: type }), ...(code && { statusCode: code }) };
  return settingsOf({ ...merged, statusCode: changedStatusCode(current, given) });
}

/**
 * Returns the value into which a patch is merged. A new answer after the end replaces the current one, because only one
 * can exist.
 */
function patchedInput(current: Redirect, { afterEnd }: NullableInput): Required<RedirectInput> {
  const replaces = Object.values(afterEnd ?? {}).some((value) => value !== null);
  return replaces ? { ...inputOf(current), afterEnd: null } : inputOf(current);
}

type NullableInput = { [Name in keyof RedirectInput]?: RedirectInput[Name] | null };

/** Returns the settings among the members of a request, which may hold read-only members too. */
function settingsIn(input: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, input[name]]).filter(([, value]) => value !== undefined),
  );
}

/** Returns the settings of a redirect in the form of a request. */
const inputOf = (redirect: Redirect) => writtenSettings(redirect) as Required<RedirectInput>;

type WholeInput = RedirectInput & Required<Pick<RedirectInput, 'statusCode'>>;

/** Fills in the defaults, and checks constraints that a schema cannot state. */
function settingsOf(input: WholeInput): StoredSettings {
  const { pathForwarding = false, statusCode } = input;
  const destination = requireDestination(input.toDomain, 'toDomain', pathForwarding);
  const end = afterEndOf(input.afterEnd ?? null);
  return {
    toDomain: destination.url,
    toHost: destination.host,
    redirectType: typeOfStatusCode(statusCode),
    statusCode,
    pathForwarding,
    queryForwarding: input.queryForwarding ?? false,
    samplingRate: input.samplingRate ?? 1,
    cacheSeconds: input.cacheSeconds ?? DEFAULT_CACHE_SECONDS,
    queryRecording: input.queryRecording ?? 'full',
    enabled: input.enabled ?? true,
    tags: [...new Set(input.tags)],
    note: input.note ?? '',
    externalId: input.externalId ?? null,
    ...periodOf(input),
    afterEnd: end.afterEnd,
    afterEndHost: end.host,
    responseHeaders: responseHeadersOf(input.responseHeaders ?? {}),
    appendQuery: appendQueryOf(input.appendQuery ?? {}),
    httpsMode: input.httpsMode ?? 'both',
    hsts: hstsOf(input.hsts ?? null),
    clickIdParam: input.clickIdParam ?? null,
    notFound: notFoundOf(input.notFound ?? null),
  };
}

function requireDestination(text: string, field: string, pathForwarding: boolean) {
  const parsed = parseDestination(text, { pathForwarding });
  if (parsed.ok) return { url: parsed.destination, host: parsed.host };
  throw new AppError('VALIDATION_ERROR', { field, message: parsed.message });
}

function periodOf(input: RedirectInput): Pick<StoredSettings, 'startsAt' | 'endsAt'> {
  const startsAt = parseDateField(input.startsAt ?? null, 'startsAt', 'start');
  const endsAt = parseDateField(input.endsAt ?? null, 'endsAt', 'end');
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'endsAt',
      message: 'endsAt must be later than startsAt, or null.',
    });
  }
  return { startsAt, endsAt };
}

function afterEndOf(input: Partial<{ statusCode: 410; url: string }> | null): {
  afterEnd: AfterEnd | null;
  host: string | null;
} {
  if (input === null) return { afterEnd: null, host: null };
  const { statusCode, url } = input;
  if ((statusCode === undefined) === (url === undefined)) {
    throw new AppError('VALIDATION_ERROR', {
      field: 'afterEnd',
      message: 'afterEnd must be {"statusCode": 410}, {"url": an absolute http or https URL}, or null.',
    });
  }
  if (url === undefined) return { afterEnd: { statusCode: 410 }, host: null };
  const destination = requireDestination(url, 'afterEnd.url', false);
  return { afterEnd: { url: destination.url }, host: destination.host };
}

function notFoundOf(input: Partial<NotFound> | null): NotFound | null {
  if (input === null) return null;
  if (input.url !== undefined) return { url: requireDestination(input.url, 'notFound.url', false).url };
  throw new AppError('VALIDATION_ERROR', { field: 'notFound.url', message: 'notFound.url is required.' });
}

/** A patch adds to the stored members, so its schema cannot limit their number. */
function appendQueryOf(input: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.keys(input).length <= MAX_APPENDED_PARAMETERS) return input;
  throw new AppError('VALIDATION_ERROR', {
    field: 'appendQuery',
    message: `appendQuery must be an object of at most ${MAX_APPENDED_PARAMETERS} members.`,
  });
}

function hstsOf(input: Partial<Hsts> | null): Hsts | null {
  if (input === null) return null;
  const { maxAge, includeSubDomains = false, preload = false } = input;
  if (maxAge !== undefined) return { maxAge, includeSubDomains, preload };
  throw new AppError('VALIDATION_ERROR', { field: 'hsts.maxAge', message: 'hsts.maxAge is required.' });
}
