/** What `find` gives for a host that is not there; no address is negative. */
export const NOWHERE = -1;

/** Knows by the hash of a host where its line is. Two numbers a host, no object. */
export interface HostIndex {
  /** Number of hosts. */
  readonly size: number;
  /** @returns an address, or `NOWHERE` */
  find(hash: number, host: string): number;
  /** Adds the host, or moves it to another address. */
  put(hash: number, host: string, address: number): void;
  /** Removes a host that is there. */
  remove(hash: number, host: string): void;
}

/** Whether the line at an address is that of a host; asked only where the hashes are the same. */
export type HoldsHost = (address: number, host: string) => boolean;

/**
 * Each segment grows on its own, so that no change waits for the whole index to be moved: of a million hosts,
 * 4,000 at a time.
 */
const SEGMENT_BITS = 8;
const FIRST_CAPACITY = 8;
/** Of 4 places, so many may be taken. */
const MOST_TAKEN_OF_4 = 3;
const FREE = 0;

export function createHostIndex(holds: HoldsHost): HostIndex {
  const segments: (Segment | undefined)[] = new Array(2 ** SEGMENT_BITS).fill(undefined);
  let size = 0;

  return {
    get size() {
      return size;
    },
    find(hash, host) {
      const segment = segments[hash >>> (32 - SEGMENT_BITS)];
      if (segment === undefined) return NOWHERE;
      const place = segment.placeOf(markOf(hash), host, holds);
      return segment.isFree(place) ? NOWHERE : segment.addressAt(place);
    },
    put(hash, host, address) {
      const number = hash >>> (32 - SEGMENT_BITS);
      let segment = segments[number];
      if (segment === undefined) {
        segment = new Segment();
        segments[number] = segment;
      }
      const place = segment.placeOf(markOf(hash), host, holds);
      if (segment.isFree(place)) size += 1;
      segment.fill(place, markOf(hash), address);
    },
    remove(hash, host) {
      const segment = segments[hash >>> (32 - SEGMENT_BITS)];
      segment?.clear(segment.placeOf(markOf(hash), host, holds));
      size -= 1;
    },
  };
}

/** The hash as it stands at a place; none is like that of a free one. */
function markOf(hash: number): number {
  return hash === FREE ? 1 : hash;
}

/** Open addressing with linear probing (Knuth, The Art of Computer Programming 3, section 6.4). */
class Segment {
  /** Places, each a mark and an address. */
  private places = new Uint32Array(2 * FIRST_CAPACITY);
  private taken = 0;

  private get mask(): number {
    return this.places.length / 2 - 1;
  }

  /** Where the host is, or the free place where it would be. */
  placeOf(mark: number, host: string, holds: HoldsHost): number {
    const { places, mask } = this;
    let place = mark & mask;
    for (; ; place = (place + 1) & mask) {
      const found = places[2 * place];
      if (found === FREE || (found === mark && holds(this.addressAt(place), host))) return place;
    }
  }

  isFree(place: number): boolean {
    return this.places[2 * place] === FREE;
  }

  addressAt(place: number): number {
    return this.places[2 * place + 1] ?? NOWHERE;
  }

  fill(place: number, mark: number, address: number): void {
    if (this.isFree(place)) this.taken += 1;
    this.places[2 * place] = mark;
    this.places[2 * place + 1] = address;
    if (4 * this.taken > MOST_TAKEN_OF_4 * (this.mask + 1)) this.grow();
  }

  /** Frees the place and moves up what was put behind it because it was taken (algorithm R of the same section). */
  clear(place: number): void {
    const { places, mask } = this;
    let hole = place;
    for (let next = (hole + 1) & mask; !this.isFree(next); next = (next + 1) & mask) {
      const home = (places[2 * next] ?? FREE) & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      places.copyWithin(2 * hole, 2 * next, 2 * next + 2);
      hole = next;
    }
    places[2 * hole] = FREE;
    this.taken -= 1;
  }

  private grow(): void {
    const old = this.places;
    const grown = new Uint32Array(2 * old.length);
    const mask = grown.length / 2 - 1;
    for (let at = 0; at < old.length; at += 2) {
      const mark = old[at] ?? FREE;
      if (mark === FREE) continue;
      let place = mark & mask;
      while (grown[2 * place] !== FREE) place = (place + 1) & mask;
      grown[2 * place] = mark;
      grown[2 * place + 1] = old[at + 1] ?? 0;
    }
    this.places = grown;
  }
}
