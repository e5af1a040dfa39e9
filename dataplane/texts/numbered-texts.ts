import type { WritableTexts } from '../../shared/hits/counter-records.js';
import { createLineLog, offsetOf } from './line-log.js';
import { createTextHash } from './text-hash.js';
import { createTextIndex, NOWHERE } from './text-index.js';
import { isLineOf, packText, writeTextOfLine } from './text-line.js';

/** Gives each text a permanent number. Takes 30 to 40 bytes per text beside its characters, and no object. */
export interface NumberedTexts extends WritableTexts {
  /** Returns the number of a text: 1 for the first text, 2 for the next. */
  numberOf(text: string): number;
}

const CHUNK_BITS = 12;
const CHUNK = 2 ** CHUNK_BITS;

export function createNumberedTexts(): NumberedTexts {
  const log = createLineLog();
  const hashOf = createTextHash();
  const index = createTextIndex((address, text) =>
    isLineOf(text, log.bytesAround(address), offsetOf(address)),
  );
  /** Addresses by number, in chunks: growing one array would copy it. */
  const addresses: Uint32Array[] = [];

  function keep(number: number, address: number): void {
    const chunk = addresses[number >>> CHUNK_BITS] ?? new Uint32Array(CHUNK);
    addresses[number >>> CHUNK_BITS] = chunk;
    chunk[number % CHUNK] = address;
  }

  const addressOf = (number: number) => addresses[number >>> CHUNK_BITS]?.[number % CHUNK] ?? NOWHERE;

  return {
    numberOf(text) {
      const hash = hashOf(text);
      const place = index.find(hash, text);
      if (place !== NOWHERE) return index.noteAt(place);
      const address = log.append(packText(text));
      const number = index.size + 1;
      index.put(hash, text, address, number);
      keep(number, address);
      return number;
    },
    write(number, writer) {
      const address = addressOf(number);
      writeTextOfLine(writer, log.bytesAround(address), offsetOf(address));
    },
  };
}
