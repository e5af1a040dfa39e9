const HEX = 16;
const WORD_DIGITS = 8;
/** Number of stored words of a fingerprint: 128 bits of a SHA-256, enough to make collisions practically impossible. */
const KEPT_WORDS = 4;
/** The kept words and a state. */
const SLOT_WORDS = KEPT_WORDS + 1;
const STATE_AT = KEPT_WORDS;
const FREE = 0;
const ADDED = 1;
const MARKED = 2;
const FIRST_CAPACITY = 64;
/** Maximum number of used slots per 4 slots. */
const MOST_TAKEN_OF_4 = 3;

/** A set of fingerprints that takes 27 to 54 bytes for each. Members can be marked. */
export class FingerprintSet {
  private slots = new Uint32Array(SLOT_WORDS * FIRST_CAPACITY);
  private capacity = FIRST_CAPACITY;
  private taken = 0;
  private readonly words = new Uint32Array(KEPT_WORDS);

  add(fingerprint: string): void {
    const at = this.find(fingerprint);
    if (this.slots[at + STATE_AT] !== FREE) return;
    this.slots.set(this.words, at);
    this.slots[at + STATE_AT] = ADDED;
    this.taken += 1;
    if (4 * this.taken > MOST_TAKEN_OF_4 * this.capacity) this.grow();
  }

  /** Marks a member. @returns whether it is one */
  mark(fingerprint: string): boolean {
    const at = this.find(fingerprint);
    if (this.slots[at + STATE_AT] === FREE) return false;
    this.slots[at + STATE_AT] = MARKED;
    return true;
  }

  isMarked(fingerprint: string): boolean {
    return this.slots[this.find(fingerprint) + STATE_AT] === MARKED;
  }

  /** Returns the position of a fingerprint, or of the free slot for it. */
  private find(fingerprint: string): number {
    const { words } = this;
    for (let word = 0; word < KEPT_WORDS; word += 1) {
      words[word] = Number.parseInt(fingerprint.slice(WORD_DIGITS * word, WORD_DIGITS * (word + 1)), HEX);
    }
    return this.slotOf(words);
  }

  private slotOf(words: Uint32Array): number {
    const { slots, capacity } = this;
    for (let slot = (words[0] ?? 0) % capacity; ; slot = (slot + 1) % capacity) {
      const at = SLOT_WORDS * slot;
      if (slots[at + STATE_AT] === FREE || words.every((word, index) => slots[at + index] === word)) {
        return at;
      }
    }
  }

  private grow(): void {
    const old = this.slots;
    this.capacity *= 2;
    this.slots = new Uint32Array(SLOT_WORDS * this.capacity);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      if (old[at + STATE_AT] === FREE) continue;
      const slot = old.subarray(at, at + SLOT_WORDS);
      this.slots.set(slot, this.slotOf(slot.subarray(0, KEPT_WORDS)));
    }
  }
}
