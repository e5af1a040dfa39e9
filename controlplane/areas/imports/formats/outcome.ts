import { MAX_DESTINATION_LENGTH } from '../../../../shared/paths/path-entry.js';
import { readSource } from '../../../../shared/paths/path-source.js';
import { readTemplate } from '../../../../shared/paths/path-template.js';
import { conditionFault } from '../../../../shared/paths/query-conditions.js';
import { readUrl } from '../../../../shared/process/read-url.js';
import { normalizeHost } from '../../../../shared/ruleset/host-name.js';
import { isAbsoluteUrl } from './host.js';
import type { ImportedRedirect, ImportedRow } from './import-format.js';

type WithoutPlace<Row> = Row extends unknown ? Omit<Row, 'row' | 'source'> : never;

interface Skipped {
  /** Whether the original answers the requests itself. */
  readonly isAnswered?: true;
}

/** Reading of a line or item, without its position in the file. */
export type Outcome =
  | (WithoutPlace<Extract<ImportedRow, { status: 'skipped' }>> & Skipped)
  | WithoutPlace<Exclude<ImportedRow, { status: 'skipped' }>>;

/** Ends the reading of a line or item with an outcome other than a redirect. */
export class Unread extends Error {
  constructor(readonly outcome: Exclude<Outcome, { status: 'read' }>) {
    super(outcome.message);
  }
}

/** Returns the result of `read`, or the result of `instead` if `read` throws `Unread`. */
export function unlessUnread<Read>(read: () => Read, instead: (end: Unread) => Read): Read {
  try {
    return read();
  } catch (end) {
    if (end instanceof Unread) return instead(end);
    throw end;
  }
}

/** Returns the outcomes of `read`, or the outcome that it throws. */
export function readings(read: () => readonly Outcome[]): readonly Outcome[] {
  return unlessUnread(read, ({ outcome }) => [outcome]);
}

/** Returns the reason why something cannot be imported. The message suggests a replacement. */
export function refusal(message: string, field?: string): Unread {
  return new Unread(failed(message, field));
}

export function skipped(message: string): Outcome {
  return { status: 'skipped', message };
}

/** Returns the reading of a line whose requests the original answers itself. They must not reach later redirects. */
export function answered(message: string): Outcome {
  return { status: 'skipped', message, isAnswered: true };
}

export function failed(message: string, field?: string): Extract<Outcome, { status: 'failed' }> {
  return field === undefined ? { status: 'failed', message } : { status: 'failed', message, field };
}

type StatusCode = ImportedRedirect['statusCode'];

const STATUS_CODES: ReadonlySet<number> = new Set([301, 302, 307, 308, 410]);

/** Returns a status that Waymark answers with. @throws {Unread} for another one */
export function statusCodeOf(code: number | string): StatusCode {
  if (STATUS_CODES.has(Number(code))) return Number(code) as StatusCode;
  throw unfitStatus(code);
}

/** Returns a status that Waymark redirects with. @throws {Unread} for another one */
export function redirectStatusOf(code: number | string): Exclude<StatusCode, 410> {
  const statusCode = statusCodeOf(code);
  if (statusCode === 410) throw unfitStatus(code);
  return statusCode;
}

/** Returns the reading of a directive with a status that no entry can have. */
export function unfitStatus(code: number | string): Unread {
  const number = Number(code);
  if (number >= 300 && number < 400) {
    return refusal(`Status ${code} is not available. Write 301, 302, 307 or 308.`, 'statusCode');
  }
  if (number >= 100 && number < 600) {
    return new Unread({ status: 'skipped', message: `Status ${code} is no redirect.` });
  }
  return refusal(`"${code}" is no status. Write 301, 302, 307, 308 or 410.`, 'statusCode');
}

const DEFAULTS = {
  host: null,
  path: null,
  query: null,
  pathEnding: 'inherit',
  ignoresCase: false,
  destination: null,
  statusCode: 301,
  pathForwarding: null,
  queryForwarding: null,
  note: '',
} as const;

/** Returns the reading of a redirect, which fails when Waymark cannot serve it. 410 has no destination and no query. */
export function taken(given: Partial<ImportedRedirect>): Outcome {
  const gone = given.statusCode === 410 && { destination: null, queryForwarding: null };
  const redirect = wholeHost(withPlainEnding({ ...DEFAULTS, ...given, ...gone }));
  const fault = redirect.path === null ? hostFault(redirect) : entryFault(redirect, redirect.path);
  return fault === undefined ? { status: 'read', redirect } : failed(fault.message, fault.field);
}

/** Maximum redirects of one line or item. */
const MAX_REDIRECTS = 1_000;

/** Returns one reading for each host and path of a line. */
export function forEach<Host, Path>(
  hosts: readonly Host[],
  paths: readonly Path[],
  read: (host: Host, path: Path) => Outcome,
): Outcome[] {
  if (hosts.length * paths.length > MAX_REDIRECTS) {
    throw refusal(
      `The line stands for more than ${MAX_REDIRECTS} redirects. Write it for fewer hosts or paths.`,
    );
  }
  return hosts.flatMap((host) => paths.flatMap((path) => readings(() => [read(host, path)])));
}

/** Sets `pathEnding` to `inherit` if that has the same meaning. */
function withPlainEnding(redirect: ImportedRedirect): ImportedRedirect {
  const { path, pathEnding } = redirect;
  const isSame = path === '/' || (path === '/*' && pathEnding !== 'below');
  return isSame ? { ...redirect, pathEnding: 'inherit' } : redirect;
}

/** Adds a remark to the reading of a redirect. Other readings do not change. */
export function withRemark(outcome: Outcome, remark: string): Outcome {
  if (outcome.status !== 'read') return outcome;
  return { ...outcome, remark: outcome.remark === undefined ? remark : `${outcome.remark} ${remark}` };
}

/** Converts an entry for all paths of a host to a redirect of the host, if possible. */
function wholeHost(redirect: ImportedRedirect): ImportedRedirect {
  const { host, path, query, destination } = redirect;
  if (host === null || path !== '/*' || query !== null || destination === null) return redirect;
  if (redirect.pathEnding === 'below' || destination.startsWith('/')) return redirect;
  const isForwarding = /^https?:\/\/[^*?#]*\/\*$/i.test(destination);
  // "https://new.example/base/" keeps its slash for the path "/".
  const base = isForwarding
    ? destination.slice(0, /^https?:\/\/[^/]*\/\*$/i.test(destination) ? -2 : -1)
    : destination;
  if (/[*{}]/.test(base)) return redirect;
  return { ...redirect, path: null, destination: base, pathForwarding: isForwarding };
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

const SAME_HOST: Fault = {
  field: 'destination',
  message:
    'The redirect leads to its own host, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
};

function hostFault({ host, destination }: ImportedRedirect): Fault | undefined {
  if (host === null) {
    return { field: 'path', message: 'Neither a host nor a path is known: name the host or write "/*".' };
  }
  if (destination === null) {
    return { field: 'statusCode', message: 'A whole host cannot answer 410. Write an entry for "/*".' };
  }
  const url = isAbsoluteUrl(destination) ? readUrl(destination) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    const message = 'destination must be an absolute http or https URL without a user name.';
    return { field: 'destination', message };
  }
  if (normalizeHost(url.hostname) === host) return SAME_HOST;
  return destination.length > MAX_DESTINATION_LENGTH ? TOO_LONG : undefined;
}

const TOO_LONG: Fault = {
  field: 'destination',
  message: `destination must have at most ${MAX_DESTINATION_LENGTH} characters.`,
};

function entryFault(redirect: ImportedRedirect, path: string): Fault | undefined {
  const source = readSource(path);
  if ('field' in source) return { ...source, field: 'path' };
  const conditions = conditionFault(redirect.query);
  if (conditions !== undefined || redirect.statusCode === 410) return conditions;
  if (redirect.destination === null || redirect.destination === '') {
    return { field: 'destination', message: 'The redirect has no destination.' };
  }
  const template = readTemplate(redirect.destination, source, redirect.host?.startsWith('*.') ?? false);
  return 'field' in template ? template : undefined;
}
