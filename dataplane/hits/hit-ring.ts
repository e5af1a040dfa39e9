import type { RedirectTally } from './hit-counters.js';
import { clearHitSlot, createHitSlot, type HitSlot } from './hit-slot.js';
import { cutTexts } from './hit-texts.js';
import { RingShares, type RingUse } from './ring-shares.js';

/** Fill of the ring, 0 to 1, from which the shares of redirects are counted. */
export const SCARCE_FILL = 1 / 2;
/**
 * Fill below which the shares are no longer counted. Lower than `SCARCE_FILL`, because counting begins with a walk
 * through the ring.
 */
const AMPLE_FILL = 3 / 8;

/**
 * A bounded first-in-first-out buffer of hits. A hit waits in a slot until it is encoded. It counts against the
 * capacity until it is released. The slot that was freed last is used first, so that some hundred slots, which stay in
 * the processor's caches, serve any number of hits. (65,536 slots take 12 MiB.)
 */
export class HitRing {
  private readonly free: HitSlot[] = [];
  private readonly queue: HitSlot[] = [];
  /** Length of each hit's texts after cutting, by position in the queue. */
  private readonly textLengths: Uint32Array;
  /** Tallies of all hits, in order from `firstHeld` on. */
  private readonly tallies: Uint32Array;
  private firstHeld = 0;
  private readonly shares: RingShares;
  /** Number of all hits, and length of the texts of those that wait. */
  private readonly taken: RingUse = { hits: 0, textLength: 0 };
  private first = 0;
  private inSlots = 0;
  /** Whether the newest slot may still be filled. Its texts are not cut and counted yet. */
  private isNewestOpen = false;
  private isClosed = false;
  private isSharing = false;
  private refused = 0;
  /** The first redirect since the ring was empty, and whether there were others. */
  private onlyTally: RedirectTally = 0;
  private hasSeveralRedirects = false;

  private readonly scarceHits: number;
  private readonly scarceTextLength: number;

  private readonly capacity: Readonly<RingUse>;

  /**
   * @param hits maximum number
   * @param textLength maximum UTF-16 units of the visitors' texts in slots, exceeded by at most one hit
   */
  constructor(hits: number, textLength = Number.POSITIVE_INFINITY) {
    this.capacity = { hits, textLength };
    this.scarceHits = SCARCE_FILL * hits;
    this.scarceTextLength = SCARCE_FILL * textLength;
    this.textLengths = new Uint32Array(hits);
    this.tallies = new Uint32Array(hits);
    this.shares = new RingShares(this.capacity);
  }

  /** Number of hits, including those that wait. */
  size(): number {
    return this.taken.hits;
  }

  /** Number of hits that wait in their slots. */
  waiting(): number {
    return this.inSlots;
  }

  /** Used share of the capacity, from 0 to 1: of the hits or of the length of their texts, whichever is greater. */
  fill(): number {
    const { capacity, taken } = this;
    return Math.max(taken.hits / capacity.hits, taken.textLength / capacity.textLength);
  }

  /** Number of hits that were refused although there was room, because their redirect had its fair share. */
  refusedByShare(): number {
    return this.refused;
  }

  /**
   * Returns a free slot for one more hit of the redirect. Undefined when the ring is full or closed, and when it is
   * scarce and the redirect has its fair share. The caller fills the slot in the same turn.
   */
  claim(tally: RedirectTally): HitSlot | undefined {
    this.closeNewest();
    const { capacity, taken } = this;
    if (this.isClosed || taken.hits >= capacity.hits || taken.textLength >= capacity.textLength)
      return undefined;
    if (!this.isWithinShare(tally)) {
      this.refused += 1;
      return undefined;
    }
    const slot = this.free.pop() ?? createHitSlot();
    slot.tally = tally;
    this.queue[this.placeAfter(this.inSlots)] = slot;
    this.inSlots += 1;
    this.tallies[this.heldAt(taken.hits)] = tally;
    taken.hits += 1;
    this.isNewestOpen = true;
    if (this.isSharing) this.shares.add(tally, 1, 0);
    return slot;
  }

  /** Returns the slot of the oldest waiting hit, with texts cut to their stored length. Undefined if there is none. */
  oldest(): HitSlot | undefined {
    if (this.inSlots === 0) return undefined;
    if (this.inSlots === 1) this.closeNewest();
    return this.queue[this.first];
  }

  /** Empties and frees the slot of the oldest waiting hit. The hit still counts against the capacity. */
  takeOver(): void {
    const slot = this.oldest();
    if (slot === undefined) return;
    const textLength = this.textLengths[this.first] ?? 0;
    this.taken.textLength -= textLength;
    if (this.isSharing) this.shares.remove(slot.tally, 0, textLength);
    clearHitSlot(slot);
    this.free.push(slot);
    this.inSlots -= 1;
    this.first = this.inSlots === 0 ? 0 : this.placeAfter(1);
  }

  /** Releases the `count` oldest hits. */
  release(count: number): void {
    for (let index = 0; this.isSharing && index < count; index += 1) {
      this.shares.remove(this.tallies[this.heldAt(index)] ?? 0, 1, 0);
    }
    this.firstHeld = this.heldAt(count);
    this.taken.hits -= count;
  }

  /** Refuses further hits. */
  close(): void {
    this.isClosed = true;
  }

  private placeAfter(count: number): number {
    return (this.first + count) % this.capacity.hits;
  }

  private heldAt(index: number): number {
    return (this.firstHeld + index) % this.capacity.hits;
  }

  /** Cuts and counts the texts of the newest slot, which the request handler filled in an earlier call. */
  private closeNewest(): void {
    if (!this.isNewestOpen) return;
    this.isNewestOpen = false;
    const place = this.placeAfter(this.inSlots - 1);
    const slot = this.queue[place];
    if (slot === undefined) return;
    const textLength = cutTexts(slot);
    this.textLengths[place] = textLength;
    this.taken.textLength += textLength;
    if (this.isSharing) this.shares.add(slot.tally, 0, textLength);
  }

  private isWithinShare(tally: RedirectTally): boolean {
    if (this.taken.hits === 0) {
      this.onlyTally = tally;
      this.hasSeveralRedirects = false;
    } else if (tally !== this.onlyTally) this.hasSeveralRedirects = true;
    if (!this.isSharing) {
      if (this.taken.hits < this.scarceHits && this.taken.textLength < this.scarceTextLength) return true;
      this.beginSharing();
    } else if (this.fill() < AMPLE_FILL) {
      this.endSharing();
      return true;
    }
    return this.shares.mayGrow(tally, this.taken, this.hasSeveralRedirects ? 2 : 1);
  }

  private beginSharing(): void {
    this.isSharing = true;
    for (let index = 0; index < this.taken.hits; index += 1) {
      this.shares.add(this.tallies[this.heldAt(index)] ?? 0, 1, 0);
    }
    for (let count = 0; count < this.inSlots; count += 1) {
      const place = this.placeAfter(count);
      const tally = this.queue[place]?.tally;
      if (tally !== undefined) this.shares.add(tally, 0, this.textLengths[place] ?? 0);
    }
  }

  private endSharing(): void {
    this.isSharing = false;
    this.shares.clear();
  }
}
