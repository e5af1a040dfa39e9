import { refusal } from '../outcome.js';

/** Flags of a `RewriteRule`, as far as they matter to redirects. */
export interface RewriteFlags {
  /** Status of the redirect; undefined for a rewrite within the server. */
  readonly status: number | undefined;
  readonly isGone: boolean;
  readonly isForbidden: boolean;
  /** Whether later rules are skipped. */
  readonly isLast: boolean;
  readonly ignoresCase: boolean;
  readonly isEscaped: boolean;
  readonly appendsQuery: boolean;
  readonly dropsQuery: boolean;
}

const WORDS: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303 };
const HARMLESS = new Set(['dpi', 'discardpath', 'e', 'env', 'bnp', 'nosubreq', 'ns']);
const DEFAULT_STATUS = 302;

/** Reads `[R=301,L]`. @throws {Unread} for a flag that is not available */
export function readFlags(text: string): RewriteFlags {
  const flags = {
    status: undefined as number | undefined,
    isGone: false,
    isForbidden: false,
    isLast: false,
    ignoresCase: false,
    isEscaped: true,
    appendsQuery: false,
    dropsQuery: false,
  };
  for (const flag of text.replace(/^\[|\]$/g, '').split(',')) {
    const [name = '', value = ''] = flag.trim().split('=');
    const key = name.toLowerCase();
    if (key === 'r' || key === 'redirect') flags.status = statusOf(value);
    else if (key === 'g' || key === 'gone') flags.isGone = true;
    else if (key === 'f' || key === 'forbidden') flags.isForbidden = true;
    else if (key === 'l' || key === 'last' || key === 'end') flags.isLast = true;
    else if (key === 'nc' || key === 'nocase') flags.ignoresCase = true;
    else if (key === 'ne' || key === 'noescape') flags.isEscaped = false;
    else if (key === 'qsa' || key === 'qsappend') flags.appendsQuery = true;
    else if (key === 'qsd' || key === 'qsdiscard') flags.dropsQuery = true;
    else if (key !== '' && !HARMLESS.has(key)) {
      throw refusal(`The flag [${name}] is not available. Write the rule without it.`);
    }
  }
  return flags;
}

function statusOf(value: string): number {
  if (value === '') return DEFAULT_STATUS;
  return WORDS[value.toLowerCase()] ?? Number(value);
}
