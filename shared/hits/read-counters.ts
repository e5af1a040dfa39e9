import { isUtf8 } from 'node:buffer';
import { NativeFormatError, type NativeReader } from '../native/native-reader.js';
import { isId, MAX_BATCH_COUNTERS, MAX_VARIANT_LENGTH } from './batch-bounds.js';
import { OF_KNOWN_REDIRECT, OF_REDIRECT, OF_RULE_OF_NEW_REDIRECT } from './counter-records.js';
import type { HitBatch, RedirectCounters, RuleCounters } from './hit-batch.js';

const REPLACEMENT = '\ufffd';

/**
 * Reads the rest of `reader` as counters, written by `CounterRecords`.
 *
 * @param countsPeople whether rule records have human hits, which is the case from batch format 6 on
 * @throws NativeFormatError
 */
export function readCounters(
  reader: NativeReader,
  countsPeople = true,
): Pick<HitBatch, 'counters' | 'ruleCounters'> {
  const counters: RedirectCounters[] = [];
  const ruleCounters: RuleCounters[] = [];
  const ids: string[] = [];
  const newId = (): string => {
    const id = readId(reader);
    ids.push(id);
    return id;
  };
  while (!reader.isAtEnd) {
    if (counters.length + ruleCounters.length === MAX_BATCH_COUNTERS) {
      throw new NativeFormatError(`a batch has at most ${MAX_BATCH_COUNTERS} counters`);
    }
    const kind = reader.varint();
    if (kind === OF_REDIRECT) counters.push(readTotals(reader, newId()));
    else {
      const id = kind === OF_RULE_OF_NEW_REDIRECT ? newId() : ids[kind - OF_KNOWN_REDIRECT];
      ruleCounters.push(readRule(reader, id, countsPeople));
    }
  }
  return { counters, ruleCounters };
}

function readTotals(reader: NativeReader, redirectId: string): RedirectCounters {
  return {
    redirectId,
    requests: reader.varint(),
    recorded: reader.varint(),
    dropped: reader.varint(),
  };
}

function readRule(reader: NativeReader, redirectId: string | undefined, countsPeople: boolean): RuleCounters {
  if (redirectId === undefined) throw new NativeFormatError('a rule is of a redirect that was not named');
  const ruleId = reader.varint();
  if (ruleId === 0) throw new NativeFormatError('no rule has the id 0');
  const variant = readText(reader);
  if (variant.length > MAX_VARIANT_LENGTH) throw new NativeFormatError('the name of a variant is too long');
  const hits = reader.varint();
  if (!countsPeople) return { redirectId, ruleId, variant, hits };
  const humanHits = reader.varint();
  if (humanHits > hits) throw new NativeFormatError('a rule has more human hits than hits');
  return { redirectId, ruleId, variant, hits, humanHits };
}

function readId(reader: NativeReader): string {
  const id = readText(reader);
  if (!isId(id)) throw new NativeFormatError('the id of a redirect is empty, or too long');
  return id;
}

function readText(reader: NativeReader): string {
  const bytes = reader.take(reader.varint());
  const text = bytes.toString('utf8');
  // Invalid UTF-8 decodes to the replacement character, which may also be in the text itself.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes)) throw new NativeFormatError('a text is no UTF-8');
  return text;
}
