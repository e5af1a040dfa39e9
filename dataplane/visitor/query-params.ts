import { queryValues } from '../../shared/visitor/query-values.js';

const NONE: readonly string[] = [];
/** As many parameters are searched for one by one; with more, it costs less to take the query to pieces. */
const MAX_SEARCHES = 8;

/**
 * The parameters of a query, each worked out when it is first asked for and then remembered: what rules ask again
 * and again must not cost the length of the query each time. Used again for each request.
 */
export class QueryParams {
  private readonly known = new Map<string, readonly string[]>();
  private isComplete = false;

  /** What `queryValues` gives; `query` must be the same until `forget`. */
  values(query: string, param: string): readonly string[] {
    const known = this.known.get(param);
    if (known !== undefined) return known;
    if (this.isComplete) return NONE;
    if (this.known.size === MAX_SEARCHES) {
      this.readAll(query);
      return this.known.get(param) ?? NONE;
    }
    const values = queryValues(query, param);
    this.known.set(param, values);
    return values;
  }

  forget(): void {
    if (this.known.size === 0) return;
    this.known.clear();
    this.isComplete = false;
  }

  private readAll(query: string): void {
    const byName = new Map<string, string[]>();
    // The parser takes off one question mark; one that the query begins with is part of a name.
    for (const [name, value] of new URLSearchParams(`?${query}`)) {
      const values = byName.get(name);
      if (values === undefined) byName.set(name, [value]);
      else values.push(value);
    }
    for (const [name, values] of byName) this.known.set(name, values);
    this.isComplete = true;
  }
}
