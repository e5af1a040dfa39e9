import { queryValues } from './query-values.js';

const NONE: readonly string[] = [];
/** Maximum number of parameters that are searched one by one. With more, parsing the query once costs less. */
const MAX_SEARCHES = 8;
/**
 * Maximum length of a query in which more than one parameter is searched for. A longer query is parsed into all its
 * parameters.
 */
const MAX_SEARCHED_LENGTH = 1_024;
/** Maximum values of one name that are compared one by one. More values are kept as a set. */
const MAX_COMPARED = 8;

/**
 * The parameters of a query, each parsed on first use and cached, because rules read the same ones repeatedly. Reused
 * for each request. The parameters are in arrays with spare capacity, because clearing a Map and growing an array
 * allocate memory.
 */
export class QueryParams {
  private readonly names = new Array<string>(MAX_SEARCHES).fill('');
  private readonly found = new Array<readonly string[]>(MAX_SEARCHES).fill(NONE);
  /** Number of used elements in both arrays. */
  private searches = 0;
  private all: ReadonlyMap<string, readonly string[]> | undefined;
  private sets: Map<string, ReadonlySet<string>> | undefined;

  /** Returns `queryValues` of the query. `query` must not change until `forget`. */
  values(query: string, param: string): readonly string[] {
    const { names, found, searches } = this;
    for (let place = 0; place < searches; place += 1) {
      if (names[place] === param) return found[place] ?? NONE;
    }
    if (searches === MAX_SEARCHES || (searches > 0 && query.length > MAX_SEARCHED_LENGTH)) {
      this.all ??= allValues(query);
      return this.all.get(param) ?? NONE;
    }
    const values = queryValues(query, param);
    names[searches] = param;
    found[searches] = values;
    this.searches = searches + 1;
    return values;
  }

  /** Returns whether a value of a parameter is `wanted`. The cost does not grow with the number of its values. */
  hasValue(query: string, param: string, wanted: string): boolean {
    const values = this.values(query, param);
    if (values.length <= MAX_COMPARED) return values.includes(wanted);
    this.sets ??= new Map();
    let set = this.sets.get(param);
    if (set === undefined) {
      set = new Set(values);
      this.sets.set(param, set);
    }
    return set.has(wanted);
  }

  forget(): void {
    this.searches = 0;
    this.all = undefined;
    this.sets = undefined;
  }
}

function allValues(query: string): Map<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  // The parser removes one question mark. A question mark at the start of the query itself is part of a name.
  for (const [name, value] of new URLSearchParams(`?${query}`)) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return byName;
}
