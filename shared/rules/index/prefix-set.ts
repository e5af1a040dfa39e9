/**
 * Maximum nesting of prefixes. With deeper nesting, the total size of all `extensionsOf` would be quadratic in the
 * number of prefixes.
 */
const MAX_NESTING = 16;

const NONE = -1;

/** Finds the prefixes that a text begins with by one binary search. */
export class PrefixSet {
  /** Total length of all prefixes. */
  readonly length: number;
  private readonly sorted: readonly string[];
  /** Index of each prefix's longest proper prefix in the set; `NONE` if there is none. */
  private readonly parents: readonly number[];

  /** @param prefixes in any order; those that begin with too many others are omitted */
  constructor(prefixes: Iterable<string>) {
    const sorted: string[] = [];
    const parents: number[] = [];
    const nesting: number[] = [];
    for (const prefix of [...new Set(prefixes)].sort()) {
      while (nesting.length > 0 && !prefix.startsWith(sorted[nesting.at(-1) ?? 0] ?? '')) nesting.pop();
      if (nesting.length === MAX_NESTING) continue;
      parents.push(nesting.at(-1) ?? NONE);
      nesting.push(sorted.push(prefix) - 1);
    }
    this.length = sorted.reduce((sum, prefix) => sum + prefix.length, 0);
    this.sorted = sorted;
    this.parents = parents;
  }

  /** Returns the prefixes that begin with `prefix`, including itself; none if it is not in the set. */
  extensionsOf(prefix: string): readonly string[] {
    const first = this.lastUpTo(prefix);
    if (this.sorted[first] !== prefix) return [];
    let end = first + 1;
    while (this.sorted[end]?.startsWith(prefix)) end += 1;
    return this.sorted.slice(first, end);
  }

  /** Returns the longest prefix that `text` begins with. */
  longestOf(text: string): string | undefined {
    // All texts between a prefix of the text and the text begin with that prefix.
    let place = this.lastUpTo(text);
    while (place !== NONE) {
      const prefix = this.sorted[place] ?? '';
      if (text.startsWith(prefix)) return prefix;
      place = this.parents[place] ?? NONE;
    }
    return undefined;
  }

  /** Returns the index of the last prefix that sorts before or equal to `text`; `NONE` if there is none. */
  private lastUpTo(text: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
