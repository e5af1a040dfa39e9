/** Parameter like `:name`, `:name*` or `:name(regex)`, a group without a name, braces, an escaped character, or text. */
const PART =
  /:([A-Za-z]\w*)(\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))?([*+?])?|(\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))([*+?])?|\\(.)|(\{)|\}([*+?])?|[^:(\\{}]+|[:(\\]/gs;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/** Writes a `source` of `vercel.json`, in the syntax of path-to-regexp, as a regular expression. */
export function sourceRegex(source: string): string {
  let regex = '';
  for (const match of source.matchAll(PART)) {
    const [found, name, group, modifier = '', unnamed, times = '', escaped, open, repeated = ''] = match;
    if (name !== undefined) regex = withParameter(regex, name, group, modifier);
    else if (unnamed !== undefined) regex = withGroup(regex, unnamed, times);
    else if (open !== undefined) regex += '(?:';
    else if (found.startsWith('}')) regex += `)${repeated}`;
    else regex += (escaped ?? found).replace(SPECIAL, '\\$&');
  }
  return `^${regex}$`;
}

/** Appends a group. A slash before an optional group is part of the group. */
function withGroup(before: string, group: string, modifier: string): string {
  return modifier === '?' && before.endsWith('/')
    ? `${before.slice(0, -1)}(?:/${group})?`
    : `${before}${group}${modifier}`;
}

function withParameter(before: string, name: string, group: string | undefined, modifier: string): string {
  const inner = group === undefined ? '[^/]+' : group.slice(1, -1);
  const hasSlash = before.endsWith('/');
  const head = hasSlash ? before.slice(0, -1) : before;
  if (modifier === '') return `${before}(?<${name}>${inner})`;
  if (modifier === '?') return `${head}(?:${hasSlash ? '/' : ''}(?<${name}>${inner}))?`;
  if (group !== undefined || !hasSlash) return `${before}(?<${name}>${inner})${modifier}`;
  // One or more segments; with "*" also none, and then no slash before them.
  if (modifier === '+') return `${before}(?<${name}>.+)`;
  return head === '' ? `/(?<${name}>.*)` : `${head}(?:/(?<${name}>.*))?`;
}
