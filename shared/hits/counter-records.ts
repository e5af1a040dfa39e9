import { NativeWriter } from '../native/native-writer.js';
import { NumberRows } from '../native/number-rows.js';
import type { RedirectCounters, RuleCounters } from './hit-batch.js';

/** First number of a record. Numbers from `OF_KNOWN_REDIRECT` on also encode the index of the redirect in the batch. */
export const OF_REDIRECT = 0;
export const OF_RULE_OF_NEW_REDIRECT = 1;
export const OF_KNOWN_REDIRECT = 2;

/** Texts by number, starting at 1. */
export interface WritableTexts {
  /** Appends the text of a number as a String of the Native format. */
  write(number: number, writer: NativeWriter): void;
}

/**
 * Writes the counters of a batch as bytes. Records follow each other without a separator. A record consists of numbers
 * (varints) and texts (Strings of ClickHouse's Native format):
 *
 * - redirect: `OF_REDIRECT`, redirect id, requests, recorded, dropped
 * - rule: `OF_RULE_OF_NEW_REDIRECT`, redirect id, rule id, variant, hits, human hits (format 5 has no human hits)
 * - rule of a redirect whose id is in an earlier record: `OF_KNOWN_REDIRECT` + index of that id in the batch, from 0
 * on; then as above, without the redirect id
 *
 * Writing allocates no strings and no objects. JSON took six times as long
 * (shared/decisions/0006-hits-as-native-blocks.md).
 */
export class CounterRecords {
  private readonly writer = new NativeWriter();
  /**
   * Each redirect's position among all ids ever written, by redirect number. Positions before `firstPlace` belong to
   * earlier batches.
   */
  private readonly places = new NumberRows(1);
  private firstPlace = 1;
  private nextPlace = 1;

  constructor(
    private readonly redirectIds: WritableTexts,
    private readonly variants: WritableTexts,
  ) {}

  get byteLength(): number {
    return this.writer.length;
  }

  /** Returns the records since `clear` as a view. The next call of any method invalidates it. */
  written(): Uint8Array {
    return this.writer.written();
  }

  clear(): void {
    this.writer.clear();
    this.firstPlace = this.nextPlace;
  }

  /** @param redirect number of its id; not twice in a batch */
  addRedirect(redirect: number, requests: number, recorded: number, dropped: number): void {
    this.writer.varint(OF_REDIRECT);
    this.writeRedirectId(redirect);
    this.writer.varint(requests);
    this.writer.varint(recorded);
    this.writer.varint(dropped);
  }

  /**
   * @param redirect number of its id
   * @param variant number of its name
   * @param humanHits number of `hits` that were visits of people
   */
  addRule(redirect: number, ruleId: number, variant: number, hits: number, humanHits: number): void {
    const place = this.places.at(redirect, 0);
    if (place >= this.firstPlace) this.writer.varint(OF_KNOWN_REDIRECT + place - this.firstPlace);
    else {
      this.writer.varint(OF_RULE_OF_NEW_REDIRECT);
      this.writeRedirectId(redirect);
    }
    this.writer.varint(ruleId);
    this.variants.write(variant, this.writer);
    this.writer.varint(hits);
    this.writer.varint(humanHits);
  }

  private writeRedirectId(redirect: number): void {
    this.redirectIds.write(redirect, this.writer);
    this.places.set(redirect, 0, this.nextPlace);
    this.nextPlace += 1;
  }
}

/** Writes a few counters, given as objects, in the format of {@link CounterRecords}. */
export function recordsOf(
  counters: readonly RedirectCounters[],
  ruleCounters: readonly RuleCounters[],
): Uint8Array {
  const [ids, variants] = [numberedTexts(), numberedTexts()];
  const records = new CounterRecords(ids, variants);
  for (const { redirectId, requests, recorded, dropped } of counters)
    records.addRedirect(ids.numberOf(redirectId), requests, recorded, dropped);
  for (const { redirectId, ruleId, variant, hits, humanHits = 0 } of ruleCounters)
    records.addRule(ids.numberOf(redirectId), ruleId, variants.numberOf(variant), hits, humanHits);
  return records.written();
}

function numberedTexts(): WritableTexts & { numberOf(text: string): number } {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    numberOf(text) {
      const number = numbers.get(text) ?? texts.push(text);
      numbers.set(text, number);
      return number;
    },
    write: (number, writer) => writer.text(texts[number - 1] ?? ''),
  };
}
