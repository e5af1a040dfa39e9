import { OrderedPaths } from '../ordered-paths.js';
import { type Outcome, readings, refusal, skipped, statusCodeOf, unfitStatus } from '../outcome.js';
import { scopePaths } from '../path-scope.js';
import { type LineReport, type Statement, textsOf, tooMany, type Word } from '../statements.js';
import { withCondition } from './nginx-condition.js';
import type { MapUse } from './nginx-maps.js';
import { redirectsOf } from './nginx-redirect.js';
import {
  type Location,
  type LocationKind,
  locationOf,
  locationScope,
  rewriteScope,
  type Scope,
} from './nginx-scope.js';

export interface FileContext {
  readonly report: LineReport;
  /** Variables that maps of the file set. */
  readonly names: ReadonlySet<string>;
  readonly uses: Map<string, MapUse[]>;
}

/** Redirects that take precedence over a block. */
interface Orders {
  readonly before: readonly OrderedPaths[];
  /** Redirects of the block itself. The first one that matches decides. */
  readonly own: OrderedPaths;
  /** Redirects of the block, kept for locations with lower precedence. */
  readonly kept: OrderedPaths | undefined;
}

/** Reads one server: its own directives in their order, then its locations by precedence. */
export class ServerReader {
  /** Redirects outside of locations, of prefixes with `^~`, and of regular expressions. */
  readonly #own = new OrderedPaths();
  readonly #first = new OrderedPaths();
  readonly #regex = new OrderedPaths();

  constructor(private readonly context: FileContext) {}

  read(statements: readonly Statement[], scope: Scope): void {
    const orders = { before: [], own: this.#own, kept: undefined };
    const locations = this.#readBlock(statements, scope, orders);
    for (const kind of ['exact', 'first', 'regex', 'prefix', 'named'] as const) {
      for (const one of locations) if (one.kind === kind) this.#location(one, scope);
    }
  }

  /** Reads directives in their order, and returns the locations among them. */
  #readBlock(statements: readonly Statement[], scope: Scope, orders: Orders): Location[] {
    const locations: Location[] = [];
    let returned: number | undefined;
    for (const statement of statements) {
      const name = statement.words[0]?.text;
      if (name === 'location' && statement.block !== undefined) {
        if (returned === undefined) locations.push(locationOf(statement));
        else this.#hide(statement.block, returned);
      } else if (name === 'if' || name === 'return' || name === 'rewrite') {
        if (returned === undefined) this.#directive(statement, scope, orders);
        else this.#hide([statement], returned);
        if (name === 'return') returned ??= statement.line;
      }
    }
    return locations;
  }

  #directive(statement: Statement, scope: Scope, orders: Orders): void {
    const [name, ...args] = statement.words;
    if (name?.text === 'if') {
      const inner = this.#isMapTest(args) ? scope : withCondition(scope, args);
      this.#readBlock(statement.block ?? [], inner, orders);
      return;
    }
    if (this.context.report.isFull) {
      this.context.report.add(statement.line, tooMany());
      return;
    }
    const outcomes = readings(() =>
      name?.text === 'return'
        ? this.#return(statement, args, scope)
        : this.#rewrite(statement, args, scope, orders),
    );
    for (const outcome of outcomes) this.#report(statement.line, outcome, orders);
  }

  /** Returns whether an `if` tests that a map has a value. The entries of the map answer this. */
  #isMapTest(words: readonly Word[]): boolean {
    const text = textsOf(words).join('');
    const name = /^\(\$\{?(\w+)\}?(?:!=)?\)$/.exec(text)?.[1];
    return name !== undefined && this.context.names.has(name);
  }

  #report(line: number, outcome: Outcome, { before, own, kept }: Orders): void {
    const checked = before.reduce((current, order) => order.check(current, line), outcome);
    const placed = own.place(checked, line);
    kept?.remember(placed, line);
    this.context.report.add(line, placed);
  }

  #location(location: Location, scope: Scope): void {
    const block = location.statement.block ?? [];
    const inner = this.#readBlock(block, locationScope(scope, location), this.#ordersOf(location.kind));
    for (const one of inner) this.#location(one, scope);
  }

  #ordersOf(kind: LocationKind): Orders {
    const own = new OrderedPaths();
    if (kind === 'first') return { before: [this.#own], own, kept: this.#first };
    if (kind === 'regex') return { before: [this.#own, this.#first, this.#regex], own, kept: this.#regex };
    return { before: kind === 'prefix' ? [this.#own, this.#regex] : [this.#own], own, kept: undefined };
  }

  #return(statement: Statement, [first, second]: readonly Word[], scope: Scope): Outcome[] {
    const isUrl = second === undefined && /^(?:https?:\/\/|\$scheme)/i.test(first?.text ?? '');
    const code = isUrl ? '302' : (first?.text ?? '');
    const destination = isUrl ? first?.text : second?.text;
    if (!/^\d{3}$/.test(code)) throw unfitStatus(code);
    const statusCode = statusCodeOf(code);
    if (statusCode === 410) {
      return redirectsOf({ scope, statusCode, destination: undefined, appendsQuery: false });
    }
    if (destination === undefined || destination === '') {
      throw refusal(
        'The redirect has no destination. Write a URL or a path after the status.',
        'destination',
      );
    }
    const use = { line: statement.line, statusCode, appendsQuery: false };
    const mapped = this.#mapUse(destination, use, scope);
    return mapped ?? redirectsOf({ scope, statusCode, destination, appendsQuery: false });
  }

  #rewrite(
    statement: Statement,
    [pattern, target, flag]: readonly Word[],
    scope: Scope,
    { own }: Orders,
  ): Outcome[] {
    const text = target?.text ?? '';
    const isRedirect = flag?.text === 'permanent' || flag?.text === 'redirect';
    if (!isRedirect && !/^(?:https?:\/\/|\$scheme)/i.test(text)) {
      const inner = rewriteScope(scope, pattern?.text ?? '');
      const paths = scopePaths(inner).map(({ path }) => path);
      if (inner.refusal === undefined && inner.query === null) own.move(paths, statement.line);
      return [skipped('The rewrite stays within the server and is no redirect.')];
    }
    const statusCode = flag?.text === 'permanent' ? 301 : 302;
    const destination = text.endsWith('?') ? text.slice(0, -1) : text;
    const appendsQuery = !text.endsWith('?');
    const use = { line: statement.line, statusCode, appendsQuery } as const;
    const mapped = this.#mapUse(destination, use, scope);
    if (mapped !== undefined) return mapped;
    const inner = rewriteScope(scope, pattern?.text ?? '');
    return redirectsOf({ scope: inner, statusCode, destination, appendsQuery });
  }

  /** Records that a destination is the value of a map. */
  #mapUse(
    destination: string,
    use: Omit<MapUse, 'prefix' | 'hosts'>,
    { hosts, refusal: isRefused }: Scope,
  ): Outcome[] | undefined {
    const found = /^(.*?)\$(?:\{(\w+)\}|(\w+))((?:\$is_args|\?)\$args)?$/s.exec(destination);
    const name = found?.[2] ?? found?.[3] ?? '';
    if (found === null || !this.context.names.has(name) || isRefused !== undefined) return undefined;
    const prefix = (found[1] ?? '').replace(/^(?:https?|\$scheme):\/\/\$(?:http_)?host$/, '');
    const uses = this.context.uses.get(name) ?? [];
    uses.push({ ...use, hosts, prefix, appendsQuery: use.appendsQuery || found[4] !== undefined });
    this.context.uses.set(name, uses);
    return [skipped(`Redirects by the map of $${name}. Its entries are read.`)];
  }

  #hide(statements: readonly Statement[], line: number): void {
    for (const { words, line: own, block } of statements) {
      const name = words[0]?.text;
      if (name === 'return' || name === 'rewrite') {
        this.context.report.add(own, skipped(`Never answers: line ${line} decides all requests.`));
      }
      if (block !== undefined) this.#hide(block, line);
    }
  }
}
