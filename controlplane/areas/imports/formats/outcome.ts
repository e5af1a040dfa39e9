import { MAX_DESTINATION_LENGTH } from '../../../../shared/paths/path-entry.js';
import { readSource } from '../../../../shared/paths/path-source.js';
import { readTemplate } from '../../../../shared/paths/path-template.js';
import { conditionFault } from '../../../../shared/paths/query-conditions.js';
import { readUrl } from '../../../../shared/process/read-url.js';
import { normalizeHost } from '../../../../shared/ruleset/host-name.js';
import type { ImportedRedirect, ImportedRow } from './import-format.js';

type WithoutPlace<Row> = Row extends unknown ? Omit<Row, 'row' | 'source'> : never;

interface Skipped {
  /** Whether the original answers the requests itself. */
  readonly isAnswered?: true;
}

/** Reading of a line or item, without its place in the file. */
export type Outcome =
  | (WithoutPlace<Extract<ImportedRow, { status: 'skipped' }>> & Skipped)
  | WithoutPlace<Exclude<ImportedRow, { status: 'skipped' }>>;

/** The reason why something cannot be taken, with a suggestion. */
export interface Refusal {
  readonly refusal: string;
  readonly field?: string;
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refusal' in value;
}

export function skipped(message: string): Outcome {
  return { status: 'skipped', message };
}

/** Returns the reading of a line whose requests the original answers by itself: they must not reach later redirects. */
export function answered(message: string): Outcome {
  return { status: 'skipped', message, isAnswered: true };
}

export function failed(message: string, field?: string): Outcome {
  return field === undefined ? { status: 'failed', message } : { status: 'failed', message, field };
}

export function refused({ refusal, field }: Refusal): Outcome {
  return failed(refusal, field);
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

/** Returns the reading of a redirect, which fails when Waymark cannot serve it. */
export function taken(given: Partial<ImportedRedirect>): Outcome {
  const isGone = given.statusCode === 410;
  const redirect = wholeHost(
    withPlainEnding({
      ...DEFAULTS,
      ...given,
      ...(isGone && { destination: null, queryForwarding: null }),
    }),
  );
  const fault = redirect.path === null ? hostFault(redirect) : entryFault(redirect, redirect.path);
  return fault === undefined ? { status: 'read', redirect } : refused(fault);
}

/** Maximum redirects that one line or item can stand for. */
const MAX_REDIRECTS = 1_000;

/** Returns one reading for each host and path of a line. */
export function forEach<Host, Path>(
  hosts: readonly Host[],
  paths: readonly Path[],
  read: (host: Host, path: Path) => Outcome,
): Outcome[] {
  if (hosts.length * paths.length > MAX_REDIRECTS) {
    return [
      failed(`The line stands for more than ${MAX_REDIRECTS} redirects. Write it for fewer hosts or paths.`),
    ];
  }
  return hosts.flatMap((host) => paths.map((path) => read(host, path)));
}

/** Sets `pathEnding` to `inherit` where that means the same. */
function withPlainEnding(redirect: ImportedRedirect): ImportedRedirect {
  const { path, pathEnding } = redirect;
  const isSame = path === '/' || (path === '/*' && pathEnding !== 'below');
  return isSame ? { ...redirect, pathEnding: 'inherit' } : redirect;
}

/** Adds a remark to the reading of a redirect. Other readings stay as they are. */
export function withRemark(outcome: Outcome, remark: string): Outcome {
  if (outcome.status !== 'read') return outcome;
  return { ...outcome, remark: outcome.remark === undefined ? remark : `${outcome.remark} ${remark}` };
}

/** Writes an entry for all paths of a host as a redirect of the host, where one can express it. */
function wholeHost(redirect: ImportedRedirect): ImportedRedirect {
  const { host, path, query, destination } = redirect;
  if (host === null || path !== '/*' || query !== null || destination === null) return redirect;
  if (redirect.pathEnding === 'below') return redirect;
  if (destination.startsWith('/')) return redirect;
  const isForwarding = /^https?:\/\/[^*?#]*\/\*$/i.test(destination);
  // "https://new.example/base/" keeps its slash for the path "/".
  const base = isForwarding
    ? destination.slice(0, /^https?:\/\/[^/]*\/\*$/i.test(destination) ? -2 : -1)
    : destination;
  if (/[*{}]/.test(base)) return redirect;
  return { ...redirect, path: null, destination: base, pathForwarding: isForwarding };
}

const SAME_HOST: Refusal = {
  refusal:
    'The redirect leads to its own host, or only to HTTPS. Set httpsMode of the redirect to "upgrade" instead.',
  field: 'destination',
};

function hostFault({ host, destination }: ImportedRedirect): Refusal | undefined {
  if (host === null) {
    return { refusal: 'Neither a host nor a path is known: name the host or write "/*".', field: 'path' };
  }
  if (destination === null) {
    return { refusal: 'A whole host cannot answer 410. Write an entry for "/*".', field: 'statusCode' };
  }
  const url = /^https?:\/\//i.test(destination) ? readUrl(destination) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    return {
      refusal: 'destination must be an absolute http or https URL without a user name.',
      field: 'destination',
    };
  }
  if (normalizeHost(url.hostname) === host) return SAME_HOST;
  if (destination.length <= MAX_DESTINATION_LENGTH) return undefined;
  return {
    refusal: `destination must have at most ${MAX_DESTINATION_LENGTH} characters.`,
    field: 'destination',
  };
}

function entryFault(redirect: ImportedRedirect, path: string): Refusal | undefined {
  const source = readSource(path);
  if ('field' in source) return refusalOf({ ...source, field: 'path' });
  const conditions = conditionFault(redirect.query);
  if (conditions !== undefined) return refusalOf(conditions);
  if (redirect.statusCode === 410) return undefined;
  if (redirect.destination === null || redirect.destination === '') {
    return { refusal: 'The redirect has no destination.', field: 'destination' };
  }
  const template = readTemplate(redirect.destination, source, redirect.host?.startsWith('*.') ?? false);
  return 'field' in template ? refusalOf(template) : undefined;
}

function refusalOf({ message, field }: { message: string; field: string }): Refusal {
  return { refusal: message, field };
}
