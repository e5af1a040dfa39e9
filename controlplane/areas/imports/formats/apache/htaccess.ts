import { hostName } from '../host.js';
import type { ImportFormat } from '../import-format.js';
import { OrderedPaths } from '../ordered-paths.js';
import { failed, type Outcome, readings, skipped, withRemark } from '../outcome.js';
import { tooMany, wholeFormat } from '../statements.js';
import { MAX_LINE_LENGTH } from '../text-lines.js';
import { readAlias } from './alias-directives.js';
import type { RewriteCondition } from './rewrite-conditions.js';
import { readRewriteRule, rewrittenPaths } from './rewrite-rule.js';

/** Directives of mod_alias and mod_rewrite in `.htaccess` files and in virtual hosts. Rules of mod_rewrite decide first. */
export const htaccess: ImportFormat = wholeFormat('htaccess', (lines, report) => {
  const order = new OrderedPaths();
  const reader = new HtaccessReader(order);
  const aliases: { readonly number: number; readonly outcomes: readonly Outcome[] }[] = [];
  for (const { text, number, isTooLong } of lines) {
    if (isTooLong) continue;
    const outcomes = readings(() => reader.read(text, number));
    if (report.isFull) report.add(number, tooMany());
    else if (reader.isAlias) aliases.push({ number, outcomes });
    else for (const outcome of outcomes) report.add(number, order.place(outcome, number));
  }
  for (const { number, outcomes } of aliases)
    for (const outcome of outcomes) report.add(number, order.place(outcome, number));
});

/** Sections whose directives apply as if they were outside. */
const OPEN_SECTIONS = new Set(['ifmodule', 'ifdefine', 'ifversion', 'virtualhost', 'directory', 'macro']);
const MAX_SECTIONS = 64;
const MAX_CONDITIONS = 100;
const MAX_HOSTS = 100;
const ALIASES = new Set(['redirect', 'redirectpermanent', 'redirecttemp', 'redirectmatch']);

const NO_ENGINE =
  'The file does not say "RewriteEngine On" before. Without it, here or in a folder above, Apache ignores the rule.';

class HtaccessReader {
  /** Whether the last line is a directive of mod_alias. */
  isAlias = false;
  #continued = '';
  #sections: string[] = [];
  #conditions: RewriteCondition[] = [];
  #folder: string | undefined = '/';
  #hasBase = false;
  #hosts: (string | null)[] = [null];
  /** Undefined until the file sets it. */
  #isEngineOn: boolean | undefined;
  #hasRules = false;

  constructor(private readonly order: OrderedPaths) {}

  read(line: string, number: number): readonly Outcome[] {
    this.isAlias = false;
    if (line.endsWith('\\') && this.#continued.length + line.length <= MAX_LINE_LENGTH) {
      this.#continued += line.slice(0, -1);
      return [skipped('Continues in the next line.')];
    }
    const whole = (this.#continued + line).replace(/^[ \t\r\v\f]+|[ \t\r\v\f]+$/g, '');
    this.#continued = '';
    if (whole === '') return [skipped('Empty line.')];
    if (whole.startsWith('#')) return [skipped('Comment.')];
    return whole.startsWith('<') ? [this.#section(whole)] : this.#directive(apacheWords(whole), number);
  }

  #section(text: string): Outcome {
    const name = /^<\/?([A-Za-z]+)/.exec(text)?.[1]?.toLowerCase() ?? '';
    const isEnd = text.startsWith('</');
    if (isEnd) this.#sections.pop();
    else if (this.#sections.length < MAX_SECTIONS) this.#sections.push(name);
    if (name === 'virtualhost') {
      this.#hosts = [null];
      this.#folder = isEnd ? '/' : undefined;
    }
    return skipped(isEnd ? 'End of a section.' : 'Beginning of a section.');
  }

  #directive(words: readonly string[], line: number): readonly Outcome[] {
    const name = (words[0] ?? '').toLowerCase();
    const isRedirect = ALIASES.has(name) || name === 'rewriterule';
    const closed = this.#sections.find((section) => !OPEN_SECTIONS.has(section));
    if (isRedirect && closed !== undefined) {
      this.#conditions = [];
      return [failed(`Redirects within <${closed}> cannot be kept. Move the line out of the section.`)];
    }
    if (ALIASES.has(name)) {
      this.isAlias = true;
      return readAlias(words, this.#hosts);
    }
    if (name === 'rewriterule') {
      const conditions = this.#conditions;
      this.#conditions = [];
      if (this.#isEngineOn === false) return [skipped('Apache ignores the rule after "RewriteEngine Off".')];
      this.#hasRules = true;
      const place = { folder: this.#folder, hasBase: this.#hasBase, hosts: this.#hosts };
      this.order.move(rewrittenPaths(words, conditions, place), line);
      const outcomes = readRewriteRule(words, conditions, place);
      return this.#isEngineOn ? outcomes : outcomes.map((outcome) => withRemark(outcome, NO_ENGINE));
    }
    return [this.#setting(name, words)];
  }

  #setting(name: string, words: readonly string[]): Outcome {
    if (name === 'rewriteengine') return this.#engine(words[1] ?? '');
    if (name === 'rewritecond') return this.#condition(words);
    if (name === 'rewritebase') return this.#setFolder(words[1] ?? '/');
    if (name === 'servername' || name === 'serveralias') return this.#addHosts(words.slice(1));
    return skipped(`"${(words[0] ?? '').slice(0, 40)}" is no redirect.`);
  }

  #engine(state: string): Outcome {
    this.#isEngineOn = state.toLowerCase() === 'on';
    if (this.#isEngineOn || !this.#hasRules) return skipped('"RewriteEngine" is no redirect.');
    return failed(
      'Apache ignores the rules before this line, too. Import the file without them, or without this line.',
    );
  }

  #condition([, test = '', pattern = '', flags = '']: readonly string[]): Outcome {
    if (this.#conditions.length >= MAX_CONDITIONS) {
      return failed(`A rule can have at most ${MAX_CONDITIONS} conditions.`);
    }
    this.#conditions.push({
      test,
      pattern,
      ignoresCase: /\b(?:NC|nocase)\b/i.test(flags),
      isAlternative: /\b(?:OR|ornext)\b/i.test(flags),
    });
    return skipped('Condition of the next RewriteRule.');
  }

  #setFolder(base: string): Outcome {
    if (this.#folder === undefined || !/^\/[^\s?#*:]*$/.test(base))
      return skipped('"RewriteBase" is no redirect.');
    this.#folder = base.endsWith('/') ? base : `${base}/`;
    this.#hasBase = true;
    return skipped(
      `The paths of rules are taken to be below ${this.#folder}. If the file lies in another folder, change this line.`,
    );
  }

  #addHosts(names: readonly string[]): Outcome {
    if (!this.#sections.includes('virtualhost')) return skipped('The name of the server is no redirect.');
    const hosts = names.map((name) => hostName(name.replace(/^https?:\/\//i, '').replace(/:\d+$/, '')));
    const known = hosts.filter((host) => host !== undefined);
    if (this.#hosts.length + known.length > MAX_HOSTS) {
      return failed(`A virtual host can have at most ${MAX_HOSTS} names. Split it.`, 'host');
    }
    this.#hosts = [...this.#hosts.filter((host) => host !== null), ...known];
    if (this.#hosts.length === 0) this.#hosts = [null];
    return known.length === hosts.length
      ? skipped('Names the hosts of the redirects that follow.')
      : failed('A name of the virtual host cannot be read. Write a host name or "*.example.com".', 'host');
  }
}

/** White space by which Apache splits: ASCII only. A non-breaking space belongs to a word. */
const SPACE = /[ \t\n\v\f\r]/;

/** Splits a directive into words. Quotes and backslashes keep spaces within a word. */
function apacheWords(line: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (SPACE.test(line[at] ?? '')) {
      at += 1;
      continue;
    }
    const quote = line[at] === '"' || line[at] === "'" ? line[at] : undefined;
    const end = quote === undefined ? endOfPlain(line, at) : endOfQuoted(line, at + 1, quote);
    const raw = line.slice(quote === undefined ? at : at + 1, end);
    words.push(quote === undefined ? raw : raw.replaceAll(`\\${quote}`, quote));
    at = quote === undefined ? end : end + 1;
  }
  return words;
}

function endOfPlain(line: string, start: number): number {
  let at = start;
  while (at < line.length && !SPACE.test(line[at] ?? '')) at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}

function endOfQuoted(line: string, start: number, quote: string): number {
  let at = start;
  while (at < line.length && line[at] !== quote) at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}
