import type { PathPages } from '../../../shared/paths/path-matcher.js';
import { pageKey } from '../../../shared/paths/published-paths.js';
import type { RuleTally } from '../../hits/hit-recorder.js';
import { NOWHERE } from '../../texts/text-index.js';
import type { ColdRedirects } from './cold-redirects.js';

const NOTHING = Buffer.alloc(0);

/** The pages of one redirect's table, read from the lines of the ruleset, and the tallies of its entries. */
export class TablePages implements PathPages {
  bytes: Buffer = NOTHING;
  start = 0;
  /** Tallies of the entries counted so far, by id. */
  readonly tallies = new Map<number, RuleTally>();
  private readonly prefix: string;
  /** The pages that were found since the last change, by number, with their positions. */
  private readonly foundBytes: (Buffer | undefined)[] = [];
  private readonly foundStarts: number[] = [];
  private foundIn: ColdRedirects | undefined;
  private foundAfter = 0;

  /** @param cold returns the current lines */
  constructor(
    private readonly cold: () => ColdRedirects,
    redirectId: string,
  ) {
    this.prefix = pageKey(redirectId, '');
  }

  open(page: number): boolean {
    const cold = this.cold();
    if (cold !== this.foundIn || cold.changes !== this.foundAfter) this.forget(cold);
    const known = this.foundBytes[page];
    if (known === undefined) return this.find(cold, page);
    this.bytes = known;
    this.start = this.foundStarts[page] ?? 0;
    return true;
  }

  private find(cold: ColdRedirects, page: number): boolean {
    const key = this.prefix + page;
    const address = cold.findPage(key);
    if (address === NOWHERE) return false;
    this.bytes = cold.pageBytes(address);
    this.start = cold.pageStart(address, key);
    this.foundBytes[page] = this.bytes;
    this.foundStarts[page] = this.start;
    return true;
  }

  private forget(cold: ColdRedirects): void {
    this.foundBytes.length = 0;
    this.foundStarts.length = 0;
    this.foundIn = cold;
    this.foundAfter = cold.changes;
  }
}
