import type { Redirect, Schemas } from '@waymark/client';
import { FieldError } from '../../components/field';
import { isoTime, localTime } from '../../components/times';
import { texts } from '../../texts/texts';

export type SettingsValues = ReturnType<typeof settingsOf>;

const YEAR_SECONDS = 31_536_000;

/**
 * Returns the members of a redirect in the form's representation. Names are those of the API, so errors are shown at
 * their field.
 */
export function settingsOf(redirect: Redirect) {
  const { afterEnd, hsts } = redirect;
  return {
    toDomain: redirect.toDomain,
    statusCode: String(redirect.statusCode),
    pathForwarding: redirect.pathForwarding,
    queryForwarding: redirect.queryForwarding,
    enabled: redirect.enabled,
    tags: redirect.tags.join(', '),
    note: redirect.note,
    externalId: redirect.externalId ?? '',
    startsAt: localTime(redirect.startsAt),
    endsAt: localTime(redirect.endsAt),
    afterEnd: afterEnd === null ? 'not_found' : 'url' in afterEnd ? 'url' : 'gone',
    afterEndUrl: afterEnd !== null && 'url' in afterEnd ? afterEnd.url : '',
    httpsMode: redirect.httpsMode,
    hsts: hsts !== null,
    hstsMaxAge: String(hsts?.maxAge ?? YEAR_SECONDS),
    hstsIncludeSubDomains: hsts?.includeSubDomains ?? false,
    hstsPreload: hsts?.preload ?? false,
    /** The host, typed to confirm that browsers may preload it. */
    hstsPreloadHost: '',
    samplingRate: String(redirect.samplingRate),
    queryRecording: redirect.queryRecording,
    cacheSeconds: String(redirect.cacheSeconds),
    responseHeaders: linesOf(redirect.responseHeaders, ': '),
    appendQuery: linesOf(redirect.appendQuery, '='),
  };
}

/**
 * Returns the changes as a JSON Merge Patch. It has only the members that differ from the redirect as it was read.
 * Changes by others to other members are therefore kept.
 *
 * @throws {FieldError} for a text with invalid lines, and for preloading without confirmation
 */
export function patchOf(values: SettingsValues, former: Redirect): Record<string, unknown> {
  if (needsPreloadHost(values, former) && values.hstsPreloadHost.trim() !== former.fromDomain) {
    throw new FieldError('hstsPreloadHost', texts.redirects.settings.hstsPreloadNeeds(former.fromDomain));
  }
  const before = membersOf(settingsOf(former));
  const after = membersOf(values);
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(
    changed.map(([name, value]) => [
      name,
      name === 'responseHeaders' || name === 'appendQuery' ? replaced(value, before[name]) : value,
    ]),
  );
}

/**
 * Returns whether the values permit preloading that was not permitted before. This needs a confirmation, because
 * browsers keep a preloaded host for months after it is withdrawn.
 */
export function needsPreloadHost({ hsts, hstsPreload }: SettingsValues, former: Redirect): boolean {
  return hsts && hstsPreload && former.hsts?.preload !== true;
}

function membersOf(values: SettingsValues): Record<string, unknown> {
  const { hstsMaxAge, hstsIncludeSubDomains, hstsPreload, hstsPreloadHost: _, afterEndUrl, ...rest } = values;
  return {
    ...rest,
    statusCode: Number(values.statusCode),
    tags: values.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    externalId: values.externalId.trim() === '' ? null : values.externalId,
    startsAt: isoTime(values.startsAt),
    endsAt: isoTime(values.endsAt),
    afterEnd: afterEndOf(values.afterEnd, afterEndUrl),
    hsts: values.hsts
      ? { maxAge: numberOf(hstsMaxAge), includeSubDomains: hstsIncludeSubDomains, preload: hstsPreload }
      : null,
    samplingRate: numberOf(values.samplingRate),
    cacheSeconds: numberOf(values.cacheSeconds),
    responseHeaders: recordOf('responseHeaders', values.responseHeaders, ':'),
    appendQuery: recordOf('appendQuery', values.appendQuery, '='),
  };
}

function afterEndOf(kind: string, url: string): Schemas.AfterEnd | null {
  if (kind === 'gone') return { statusCode: 410 };
  return kind === 'url' ? { url } : null;
}

/** Returns the number, or the text itself if it is not a number. The API then answers with the accepted values. */
function numberOf(text: string): number | string {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
}

function linesOf(record: Readonly<Record<string, string>>, separator: string): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}${separator}${value}`)
    .join('\n');
}

function recordOf(field: string, text: string, separator: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(separator);
      if (at <= 0) throw new FieldError(field, texts.redirects.settings.lineNeeds(separator));
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/**
 * Returns the patch for one object. A merge patch keeps members that it does not name, so removed members become null.
 */
function replaced(after: unknown, before: unknown): Record<string, unknown> {
  const removed = Object.keys(before as object).map((name) => [name, null]);
  return { ...Object.fromEntries(removed), ...(after as object) };
}
