import { TextList } from '../../shared/native/text-dictionary.js';
import { cut } from '../../shared/visitor/cut.js';
import type { HitSlot } from './hit-slot.js';

const MAX_HOST_LENGTH = 255;
const FIRST_CAPACITY = 1_024;
/** What is kept of each tally: the batch that it was in last, and its number there. */
const FIELDS = 2;

/**
 * The redirects of a batch with their hosts, numbered anew in each batch in the order in which they come. They are told
 * apart by their tallies, numbers from 1 on, and not by their ids: no text is hashed, and nothing is kept that the
 * garbage collector would walk.
 */
export class BatchRedirects {
  /** By number. A redirect that gets another host within a batch is there twice, as the same id or host may be. */
  readonly ids = new TextList();
  readonly hosts = new TextList();
  private readonly hostTexts: string[] = [];
  private byTally = new Uint32Array(FIELDS * FIRST_CAPACITY);
  private batch = 1;

  /** The number of a hit's redirect in the batch, which it enters with this. */
  numberOf({ tally, redirectId, host }: HitSlot): number {
    const at = FIELDS * tally;
    if (this.byTally[at] === this.batch) {
      const known = this.byTally[at + 1] ?? 0;
      if (this.hostTexts[known] === host) return known;
    }
    const number = this.hostTexts.length;
    this.ids.add(redirectId);
    this.hosts.add(cut(host, MAX_HOST_LENGTH));
    this.hostTexts.push(host);
    this.remember(at, number);
    return number;
  }

  /** Begins the next batch. */
  clear(): void {
    this.batch += 1;
    this.ids.clear();
    this.hosts.clear();
    this.hostTexts.length = 0;
  }

  private remember(at: number, number: number): void {
    if (at >= this.byTally.length) {
      const larger = new Uint32Array(2 * at);
      larger.set(this.byTally);
      this.byTally = larger;
    }
    this.byTally[at] = this.batch;
    this.byTally[at + 1] = number;
  }
}
