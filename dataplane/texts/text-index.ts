/** `find` returns this for an absent text. Places and addresses are never negative. */
export const NOWHERE = -1;
/** The note of a text before one is set. */
export const NO_NOTE = 0;

/** Finds lines by the hash of their text. Three numbers per text, no object. */
export interface TextIndex {
  /** Number of texts. */
  readonly size: number;
  /** @returns the position of the text, valid until the next change; or `NOWHERE` */
  find(hash: number, text: string): number;
  addressAt(place: number): number;
  noteAt(place: number): number;
  /** Attaches a 32-bit number to the text at a position. */
  note(place: number, note: number): void;
  /** Gives the text at a position another line with the same meaning. Its note stays. */
  move(place: number, address: number): void;
  /** Adds the text, or gives it another line and note. */
  put(hash: number, text: string, address: number, note: number): void;
  /** Removes an existing text. */
  remove(hash: number, text: string): void;
}

/** Returns whether the line at an address is that of a text; called only when the hashes are equal. */
export type HoldsText = (address: number, text: string) => boolean;

/**
 * Each segment grows separately, so no change waits for a move of the whole index. With a million texts, 4,000 move at
 * a time.
 */
const SEGMENT_BITS = 8;
const SEGMENTS = 2 ** SEGMENT_BITS;

export function createTextIndex(holds: HoldsText): TextIndex {
  const segments = Array.from({ length: SEGMENTS }, () => new Segment());
  let size = 0;

  function segmentAt(number: number): Segment {
    const segment = segments[number];
    if (segment === undefined) throw new RangeError('no place is negative');
    return segment;
  }

  const ofHash = (hash: number) => segmentAt(hash >>> (32 - SEGMENT_BITS));
  const ofPlace = (place: number) => segmentAt(place % SEGMENTS);

  return {
    get size() {
      return size;
    },
    find(hash, text) {
      const segment = ofHash(hash);
      const slot = segment.slotOf(markOf(hash), text, holds);
      return segment.isFree(slot) ? NOWHERE : slot * SEGMENTS + (hash >>> (32 - SEGMENT_BITS));
    },
    addressAt: (place) => ofPlace(place).addressAt(slotAt(place)),
    noteAt: (place) => ofPlace(place).noteAt(slotAt(place)),
    note: (place, note) => ofPlace(place).note(slotAt(place), note),
    move: (place, address) => ofPlace(place).move(slotAt(place), address),
    put(hash, text, address, note) {
      const segment = ofHash(hash);
      const slot = segment.slotOf(markOf(hash), text, holds);
      if (segment.isFree(slot)) size += 1;
      segment.fill(slot, markOf(hash), address, note);
    },
    remove(hash, text) {
      const segment = ofHash(hash);
      segment.clear(segment.slotOf(markOf(hash), text, holds));
      size -= 1;
    },
  };
}

function slotAt(place: number): number {
  return Math.floor(place / SEGMENTS);
}

const FREE = 0;

/** The hash as stored in a slot. None equals the mark of a free slot. */
function markOf(hash: number): number {
  return hash === FREE ? 1 : hash;
}

const FIRST_CAPACITY = 8;
/** Maximum number of used slots per 4 slots. */
const MOST_TAKEN_OF_4 = 3;
/** A mark, an address and a note. */
const SLOT_NUMBERS = 3;

/** Open addressing with linear probing (Knuth, The Art of Computer Programming 3, section 6.4). */
class Segment {
  private slots = new Uint32Array(SLOT_NUMBERS * FIRST_CAPACITY);
  private mask = FIRST_CAPACITY - 1;
  private taken = 0;

  /** Returns the slot of the text, or the free slot for it. */
  slotOf(mark: number, text: string, holds: HoldsText): number {
    let slot = mark & this.mask;
    for (; ; slot = (slot + 1) & this.mask) {
      const found = this.slots[SLOT_NUMBERS * slot];
      if (found === FREE || (found === mark && holds(this.addressAt(slot), text))) return slot;
    }
  }

  isFree(slot: number): boolean {
    return this.slots[SLOT_NUMBERS * slot] === FREE;
  }

  addressAt(slot: number): number {
    return this.slots[SLOT_NUMBERS * slot + 1] ?? NOWHERE;
  }

  noteAt(slot: number): number {
    return this.slots[SLOT_NUMBERS * slot + 2] ?? NO_NOTE;
  }

  note(slot: number, note: number): void {
    this.slots[SLOT_NUMBERS * slot + 2] = note;
  }

  move(slot: number, address: number): void {
    this.slots[SLOT_NUMBERS * slot + 1] = address;
  }

  fill(slot: number, mark: number, address: number, note: number): void {
    if (this.isFree(slot)) this.taken += 1;
    this.write(slot, mark, address, note);
    if (4 * this.taken > MOST_TAKEN_OF_4 * (this.mask + 1)) this.grow();
  }

  /** Frees the slot and moves entries that follow because it was used (algorithm R of the same section). */
  clear(slot: number): void {
    const { slots, mask } = this;
    let hole = slot;
    for (let next = (hole + 1) & mask; !this.isFree(next); next = (next + 1) & mask) {
      const home = (slots[SLOT_NUMBERS * next] ?? FREE) & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      slots.copyWithin(SLOT_NUMBERS * hole, SLOT_NUMBERS * next, SLOT_NUMBERS * (next + 1));
      hole = next;
    }
    slots[SLOT_NUMBERS * hole] = FREE;
    this.taken -= 1;
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(2 * old.length);
    this.mask = 2 * this.mask + 1;
    for (let at = 0; at < old.length; at += SLOT_NUMBERS) {
      const mark = old[at] ?? FREE;
      if (mark === FREE) continue;
      let slot = mark & this.mask;
      while (!this.isFree(slot)) slot = (slot + 1) & this.mask;
      this.write(slot, mark, old[at + 1] ?? 0, old[at + 2] ?? NO_NOTE);
    }
  }

  private write(slot: number, mark: number, address: number, note: number): void {
    this.slots[SLOT_NUMBERS * slot] = mark;
    this.slots[SLOT_NUMBERS * slot + 1] = address;
    this.slots[SLOT_NUMBERS * slot + 2] = note;
  }
}
