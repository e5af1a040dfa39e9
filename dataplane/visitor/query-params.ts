import { queryValues } from '../../shared/visitor/query-values.js';

const NONE: readonly string[] = [];
/** As many parameters are searched for one by one; with more, it costs less to take the query to pieces. */
const MAX_SEARCHES = 8;

/**
 * The parameters of a query, each worked out when it is first asked for and then remembered: what rules ask again
 * and again must not cost the length of the query each time. Used again for each request; the few that are asked for
 * lie in arrays, since a Map makes its table anew each time that it is emptied.
 */
export class QueryParams {
  private readonly names: string[] = [];
  private readonly found: (readonly string[])[] = [];
  private all: ReadonlyMap<string, readonly string[]> | undefined;

  /** What `queryValues` gives; `query` must be the same until `forget`. */
  values(query: string, param: string): readonly string[] {
    const known = this.found[this.names.indexOf(param)];
    if (known !== undefined) return known;
    if (this.names.length === MAX_SEARCHES) {
      this.all ??= allValues(query);
      return this.all.get(param) ?? NONE;
    }
    const values = queryValues(query, param);
    this.names.push(param);
    this.found.push(values);
    return values;
  }

  forget(): void {
    if (this.names.length === 0) return;
    this.names.length = 0;
    this.found.length = 0;
    this.all = undefined;
  }
}

function allValues(query: string): Map<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  // The parser takes off one question mark; one that the query begins with is part of a name.
  for (const [name, value] of new URLSearchParams(`?${query}`)) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return byName;
}
