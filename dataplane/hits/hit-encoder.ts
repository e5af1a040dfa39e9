import type { HIT_COLUMNS, HitRow } from '../../shared/hits/hit-row.js';
import type { BotDetection } from './bot-reason.js';
import type { HitSlot } from './hit-slot.js';
import { createHitTimestamp } from './hit-timestamp.js';
import { preferredLanguage } from './preferred-language.js';
import { cachedByText } from './text-cache.js';
import type { VisitorIdentification } from './visitor-identity.js';

export interface HitEncoderDeps {
  readonly producerId: string;
  readonly identify: VisitorIdentification;
  readonly detectBot: BotDetection;
}

/**
 * Writes one hit as a line of JSONCompactEachRow, newline included. Pure in `slot` and `ordinal`.
 *
 * @param ordinal the hit's number within the producer, which makes its id
 */
export type HitEncoder = (slot: HitSlot, ordinal: number) => string;

/** The types of `HIT_COLUMNS`' values in their order: a column added or moved there is an error here. */
type HitValues = ValuesOf<typeof HIT_COLUMNS>;
type ValuesOf<Columns extends readonly (keyof HitRow)[]> = {
  [Index in keyof Columns]: HitRow[Columns[Index]];
};

const MAX_TEXT_LENGTH = 2048;
const MAX_HOST_LENGTH = 255;
const MAX_LANGUAGE_LENGTH = 128;
const MAX_CACHED_LANGUAGES = 2_000;

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATES = /\p{Surrogate}/gu;

export function createHitEncoder({ producerId, identify, detectBot }: HitEncoderDeps): HitEncoder {
  const timestampText = createHitTimestamp();
  const languageOf = cachedByText(preferredLanguage, MAX_CACHED_LANGUAGES);
  return (slot, ordinal) => {
    const userAgent = storable(slot.userAgent, MAX_TEXT_LENGTH);
    const method = slot.method.toUpperCase();
    const { visitorId, addressPrefix } = identify(slot.address, userAgent);
    const botReason = detectBot(method, slot.purpose, userAgent);
    const values: HitValues = [
      `${producerId}-${ordinal}`,
      slot.redirectId,
      timestampText(slot.timestampMs),
      storable(slot.host, MAX_HOST_LENGTH),
      storable(slot.path, MAX_TEXT_LENGTH),
      storable(slot.query, MAX_TEXT_LENGTH),
      storable(slot.location, MAX_TEXT_LENGTH),
      slot.statusCode,
      storable(method, MAX_HOST_LENGTH),
      slot.samplingRate,
      userAgent,
      storable(slot.referrer, MAX_TEXT_LENGTH),
      languageOf(slot.acceptLanguage).slice(0, MAX_LANGUAGE_LENGTH),
      addressPrefix,
      visitorId,
      botReason === '' ? 0 : 1,
      botReason,
      slot.rulesetVersion,
    ];
    // Faster than quoting value by value: one call of JSON.stringify writes the whole line.
    return `${JSON.stringify(values)}\n`;
  };
}

/** `text` cut to `maxLength` UTF-16 units; lone surrogates, which have no UTF-8 form, become U+FFFD. */
function storable(text: string, maxLength: number): string {
  const bounded = text.length > maxLength ? text.slice(0, maxLength) : text;
  return SURROGATE.test(bounded) ? bounded.replace(LONE_SURROGATES, '\ufffd') : bounded;
}
