import type { PathOptions } from '../../../shared/paths/path-entry.js';
import {
  type DestinationPart,
  type ExportedRule,
  expressionOf,
  ignoresSlash,
  pathOf,
} from './exported-rule.js';

/** Rule syntax of another system. */
export interface RuleFile {
  /** Comments at the beginning. */
  readonly head: readonly string[];
  readonly foot?: string;
  /**
   * Returns a rule, or the reason why it cannot be written.
   *
   * @param decided paths that entries with `pathEnding: "exact"` decide
   */
  rule(
    rule: ExportedRule,
    options: PathOptions,
    decided: ReadonlySet<string>,
  ): { readonly text: string } | { readonly reason: string };
}

const WRITTEN_BY = '# Written by Waymark. Entries that cannot be expressed here are comments.';

/** Writes locations for the `server` block of a host. Regular expressions are tried in the order of the file. */
export const nginxFile: RuleFile = {
  head: [
    WRITTEN_BY,
    '# Include it in the server block of the host. nginx compares and inserts decoded paths.',
  ],
  rule(rule, options, decided) {
    const { entry, source, parts, forwardsQuery } = rule;
    const { ignoreCase } = options;
    if (entry.query !== null) return { reason: 'conditions on the query' };
    const { pattern, groups } = expressionOf(rule, options);
    const isExact = !source.isPrefix && source.params.size === 0;
    if (isUnsafe(parts, /[$\r\n]/)) return { reason: 'a "$" or a line break in the destination' };
    const target = written(
      parts,
      (name) => `$${groups.get(name)}`,
      (text) => text.replace(/["\\]/g, '\\$&'),
    );
    const query = forwardsQuery && target !== '' ? (target.includes('?') ? '&$args' : '$is_args$args') : '';
    const answer =
      entry.statusCode === 410 ? 'return 410;' : `return ${entry.statusCode} "${target}${query}";`;
    if (!isExact || ignoreCase) {
      return { text: `location ${ignoreCase ? '~*' : '~'} "${pattern}" { ${answer} }` };
    }
    const path = pathOf(rule, options);
    const isOpen = ignoresSlash(rule, options) && !path.endsWith('/');
    // nginx refuses a second location for the same path.
    const paths = (isOpen ? [path, `${path}/`] : [path]).filter(
      (one) => entry.pathEnding === 'exact' || !decided.has(one),
    );
    const locations = paths.map((one) => `location = "${one.replace(/["\\]/g, '\\$&')}" { ${answer} }`);
    return locations.length === 0 ? { reason: 'other entries decide first' } : { text: locations.join('\n') };
  },
};

/** `_redirects`. The first rule that matches decides. */
export const netlifyFile: RuleFile = {
  head: [
    WRITTEN_BY,
    '# Netlify passes the query of a request on, whatever the entry says. It ignores a slash at the end, and "/a/*" also matches "/a".',
  ],
  rule({ entry, source, parts }) {
    const { statusCode } = entry;
    if (statusCode !== 301 && statusCode !== 302) return { reason: `the status ${statusCode}` };
    const conditions = netlifyConditions(entry.query ?? {});
    if (conditions === undefined) return { reason: 'a condition that a parameter is absent' };
    const from = entry.source;
    const to = written(parts, (name) => (name === '*' ? ':splat' : `:${name}`), String);
    if (isUnsafe(parts, /\s|:[A-Za-z]|\*/) || source.segments.some((one) => one.includes('*'))) {
      return { reason: 'a space, "*" or ":" and a letter that would be a placeholder' };
    }
    return { text: [from, ...conditions, to, String(statusCode)].join(' ') };
  },
};

/** Writes directives for the site of a host. Within `route`, the first one that matches decides. */
export const caddyFile: RuleFile = {
  head: [
    WRITTEN_BY,
    '# Put it into the site of the host. Caddy compares decoded paths, and writes "?" also for an empty query.',
    'route {',
  ],
  foot: '}',
  rule(rule, options) {
    const { entry, parts, forwardsQuery } = rule;
    const { pattern, groups } = expressionOf(rule, options);
    if (/[`\r\n]/.test(pattern) || isUnsafe(parts, /[`\r\n]/))
      return { reason: 'a backquote or a line break' };
    const id = `e${entry.id}`;
    const escaped = (text: string) => text.replace(/[{}]/g, '\\$&');
    const target = written(parts, (name) => `{re.${id}.${groups.get(name)}}`, escaped);
    const query = forwardsQuery ? `${target.includes('?') ? '&' : '?'}{query}` : '';
    const conditions = caddyConditions(entry.query ?? {});
    if (conditions === undefined)
      return { reason: 'a condition with a character that Caddy reads as a placeholder' };
    const action =
      entry.statusCode === 410
        ? `respond @${id} 410`
        : `redir @${id} \`${target}${query}\` ${entry.statusCode}`;
    const lines = [`path_regexp ${id} \`${options.ignoreCase ? '(?i)' : ''}${pattern}\``, ...conditions];
    return { text: `\t@${id} {\n${lines.map((line) => `\t\t${line}`).join('\n')}\n\t}\n\t${action}` };
  },
};

function written(
  parts: readonly DestinationPart[],
  placeholder: (name: string) => string,
  escaped: (text: string) => string,
): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return escaped(part.text);
      return placeholder(part.kind === 'rest' ? '*' : part.name);
    })
    .join('');
}

/** Returns whether a literal part contains one of the characters. A scheme and a port also contain colons. */
function isUnsafe(parts: readonly DestinationPart[], characters: RegExp): boolean {
  return parts.some((part) => part.kind === 'text' && characters.test(part.text));
}

function netlifyConditions(query: Readonly<Record<string, string | boolean>>): string[] | undefined {
  const conditions = Object.entries(query);
  const isPlain = (text: string) => /^[\w.~%-]+$/.test(text);
  if (
    !conditions.every(
      ([name, wanted]) => isPlain(name) && wanted !== false && (wanted === true || isPlain(wanted)),
    )
  ) {
    return undefined;
  }
  return conditions.map(([name, wanted]) => `${name}=${wanted === true ? `:${name}` : wanted}`);
}

function caddyConditions(query: Readonly<Record<string, string | boolean>>): string[] | undefined {
  const conditions = Object.entries(query);
  if (conditions.some(([name, wanted]) => /[`{}*\r\n]/.test(`${name}${wanted}`))) return undefined;
  return conditions.map(([name, wanted]) => {
    if (wanted === false) return `not query \`${name}=*\``;
    return `query \`${name}=${wanted === true ? '*' : wanted}\``;
  });
}
