import { type DestinationPart, fillDestination, literalDestination } from '../destination.js';
import { failed, isRefusal, type Outcome, refused, taken, withRemark } from '../outcome.js';
import { statusCodeOf, unfitStatus } from '../redirect-status.js';
import { literalSource, type RegexPath, regexPaths } from '../regex/regex-paths.js';

const WORDS: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 };
const DEFAULT_STATUS = 302;
const FIXED: Readonly<Record<string, number>> = { redirectpermanent: 301, redirecttemp: 302 };

export const BEHIND_FRAGMENT =
  'Apache appends the query of the request behind the fragment, where browsers do not send it. Waymark puts it before.';

/** Reads `Redirect`, `RedirectPermanent`, `RedirectTemp` and `RedirectMatch` of mod_alias for each of the hosts. */
export function readAlias(words: readonly string[], hosts: readonly (string | null)[]): Outcome[] {
  const [directive = '', ...args] = words;
  const name = directive.toLowerCase();
  const fixed = FIXED[name];
  const status = fixed ?? statusOf(args[0] ?? '');
  const [source = '', destination = '', ...more] =
    fixed === undefined && status !== undefined ? args.slice(1) : args;
  const code = status ?? DEFAULT_STATUS;
  if (more.length > 0) return [failed('The directive has too many arguments. Put quotes around spaces.')];
  const statusCode = statusCodeOf(code);
  if (statusCode === undefined) return [unfitStatus(code)];
  if (statusCode === 410 ? destination !== '' : destination === '') {
    return [
      failed(
        statusCode === 410
          ? 'A redirect with status 410 has no destination. Remove it.'
          : 'The redirect has no destination. Write a path that starts with "/", or a URL, after the source.',
        'destination',
      ),
    ];
  }
  const read = name === 'redirectmatch' ? readMatch : readPrefix;
  return hosts.flatMap((host) => read({ host, statusCode, source, destination }));
}

function statusOf(word: string): number | undefined {
  if (/^[1-5]\d\d$/.test(word)) return Number(word);
  return Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()] : undefined;
}

interface Alias {
  readonly host: string | null;
  readonly statusCode: 301 | 302 | 307 | 308 | 410;
  readonly source: string;
  readonly destination: string;
}

/** Apache appends what follows the path. The path itself needs its own entry, as `/a/*` leads to the folder `/b/`. */
function readPrefix({ host, statusCode, source, destination }: Alias): Outcome[] {
  if (!source.startsWith('/')) return [failed('The path must start with "/".', 'path')];
  const path = literalSource(source, {});
  if (isRefusal(path)) return [refused(path)];
  const isGone = statusCode === 410;
  const target = literalDestination(destination);
  const common = { host, statusCode, queryForwarding: isGone ? null : !destination.includes('?') };
  if (path.endsWith('/')) {
    return [
      taken({ ...common, path: `${path}*`, pathEnding: 'exact', destination: isGone ? null : `${target}*` }),
    ];
  }
  if (destination.includes('#')) {
    return [
      failed(
        'Apache appends the rest of the path to the fragment. Use RedirectMatch and "^/old$".',
        'destination',
      ),
    ];
  }
  return [
    taken({ ...common, path, pathEnding: 'exact', destination: isGone ? null : target }),
    taken({ ...common, path: `${path}/*`, pathEnding: 'exact', destination: isGone ? null : `${target}/*` }),
  ];
}

function readMatch({ host, statusCode, source, destination }: Alias): Outcome[] {
  const paths = regexPaths(source, {});
  if (isRefusal(paths)) return [refused(paths)];
  const parts = groupParts(destination);
  return paths.map((one: RegexPath) => {
    const filled = fillDestination(parts, one);
    if (isRefusal(filled)) return refused(filled);
    const isGone = statusCode === 410;
    const queryForwarding = isGone ? null : !destination.includes('?');
    const outcome = taken({
      host,
      path: one.path,
      pathEnding: one.ending,
      statusCode,
      destination: isGone ? null : filled,
      queryForwarding,
    });
    return queryForwarding === true && filled.includes('#') ? withRemark(outcome, BEHIND_FRAGMENT) : outcome;
  });
}

/** Cuts a destination of `RedirectMatch` at `$1` and the like. A backslash keeps the next character as it is. */
function groupParts(destination: string): readonly DestinationPart[] {
  const parts = destination.matchAll(/\\([$&])|\$([0-9])|[^\\$]+|[\\$]/g);
  return Array.from(parts, ([found, escaped, group]) =>
    group === undefined ? { text: escaped ?? found } : { capture: group },
  );
}
