import { createIndexColumn } from '../../shared/native/columns.js';
import { TextList } from '../../shared/native/text-dictionary.js';
import { cut } from '../../shared/visitor/cut.js';
import type { HitSlot } from './hit-slot.js';
import { MAX_HOST_LENGTH } from './hit-texts.js';

const FIRST_CAPACITY = 1_024;
/** Fields per tally: the last batch with it, and its number in that batch. */
const FIELDS = 2;

/**
 * The redirects of a batch with their hosts, numbered in each batch in order of appearance. They are identified by
 * their tallies (numbers from 1) instead of their ids: no text is hashed, and the garbage collector has nothing to
 * walk.
 */
export class BatchRedirects {
  /** Each distinct id. */
  readonly ids = new TextList();
  /** One for each redirect, and another one if its host changes within the batch. */
  readonly hosts = new TextList();
  /** Redirect of each hit. */
  readonly idRows = createIndexColumn();
  readonly hostRows = createIndexColumn();
  /** The last host of each redirect, by the redirect's number, and the number of that host. */
  private readonly hostTexts: string[] = [];
  private readonly hostNumbers: number[] = [];
  private byTally = new Uint32Array(FIELDS * FIRST_CAPACITY);
  private batch = 1;

  /** Adds the row of a hit. */
  add(slot: HitSlot): void {
    const number = this.numberOf(slot);
    if (this.hostTexts[number] !== slot.host) this.enterHost(number, slot.host);
    this.idRows.push(number);
    this.hostRows.push(this.hostNumbers[number] ?? 0);
  }

  /** Starts the next batch. */
  clear(): void {
    this.batch += 1;
    for (const part of [this.ids, this.hosts, this.idRows, this.hostRows]) part.clear();
    this.hostTexts.length = 0;
    this.hostNumbers.length = 0;
  }

  private numberOf({ tally, redirectId }: HitSlot): number {
    const at = FIELDS * tally;
    if (this.byTally[at] === this.batch) return this.byTally[at + 1] ?? 0;
    const number = this.ids.size;
    this.ids.add(redirectId);
    if (at >= this.byTally.length) this.makeRoomFor(at);
    this.byTally[at] = this.batch;
    this.byTally[at + 1] = number;
    return number;
  }

  private enterHost(redirect: number, host: string): void {
    this.hostTexts[redirect] = host;
    this.hostNumbers[redirect] = this.hosts.size;
    this.hosts.add(cut(host, MAX_HOST_LENGTH));
  }

  private makeRoomFor(at: number): void {
    const larger = new Uint32Array(2 * at);
    larger.set(this.byTally);
    this.byTally = larger;
  }
}
