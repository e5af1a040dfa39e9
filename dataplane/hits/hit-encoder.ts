import { MAX_VARIANT_LENGTH } from '../../shared/hits/hit-batch-header.js';
import type { HIT_COLUMNS, HitRow } from '../../shared/hits/hit-row.js';
import { createCampaignQuery } from '../../shared/visitor/campaign-query.js';
import type { DeviceDetection } from '../../shared/visitor/device.js';
import type { Places } from '../../shared/visitor/place.js';
import { preferredLanguage } from '../../shared/visitor/preferred-language.js';
import { createReferrerType } from '../../shared/visitor/referrer-type.js';
import { cachedByText } from '../../shared/visitor/text-cache.js';
import type { VisitorIdentification } from '../../shared/visitor/visitor-identity.js';
import type { BotDetection } from './bot-reason.js';
import type { HitSlot } from './hit-slot.js';
import { createHitTimestamp } from './hit-timestamp.js';
import { storable } from './storable-text.js';

export interface HitEncoderDeps {
  readonly producerId: string;
  readonly identify: VisitorIdentification;
  readonly detectBot: BotDetection;
  readonly detectDevice: DeviceDetection;
  readonly places: Places;
  readonly referrerDomainOf: (referrer: string) => string | undefined;
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
/** Of what is derived from the visitor: places, devices, versions, domains. */
const MAX_DERIVED_LENGTH = 255;
const MAX_LANGUAGE_LENGTH = 128;
const MAX_CACHED_LANGUAGES = 2_000;

export function createHitEncoder(deps: HitEncoderDeps): HitEncoder {
  const { producerId, identify, detectBot, detectDevice, places, referrerDomainOf } = deps;
  const timestampText = createHitTimestamp();
  const languageOf = cachedByText(preferredLanguage, MAX_CACHED_LANGUAGES);
  const campaignOf = createCampaignQuery();
  const referrerTypeOf = createReferrerType();
  return (slot, ordinal) => {
    const userAgent = storable(slot.userAgent, MAX_TEXT_LENGTH);
    const referrer = storable(slot.referrer, MAX_TEXT_LENGTH);
    const query = storable(slot.query, MAX_TEXT_LENGTH);
    const campaign = campaignOf(query);
    const referrerDomain = referrerDomainOf(referrer) ?? '';
    const method = slot.method.toUpperCase();
    const { visitorId, addressPrefix } = identify(slot.address, userAgent);
    const device = detectDevice(userAgent);
    const place = places.placeOf(slot.address);
    const botReason = detectBot(method, slot.purpose, userAgent);
    const values: HitValues = [
      `${producerId}-${ordinal}`,
      slot.redirectId,
      timestampText(slot.timestampMs),
      storable(slot.host, MAX_HOST_LENGTH),
      storable(slot.path, MAX_TEXT_LENGTH),
      query,
      storable(slot.location, MAX_TEXT_LENGTH),
      slot.statusCode,
      storable(method, MAX_HOST_LENGTH),
      slot.samplingRate,
      userAgent,
      referrer,
      languageOf(slot.acceptLanguage).slice(0, MAX_LANGUAGE_LENGTH),
      addressPrefix,
      visitorId,
      botReason === '' ? 0 : 1,
      botReason,
      slot.rulesetVersion,
      slot.ruleId,
      storable(slot.variant, MAX_VARIANT_LENGTH),
      known(place.country),
      known(place.region),
      known(place.city),
      known(device.type),
      known(device.brand),
      known(device.model),
      known(device.browserName),
      known(device.browserVersion),
      known(device.osName),
      known(device.osVersion),
      known(referrerDomain),
      referrerTypeOf(referrer, referrerDomain, campaign),
      campaign.source,
      campaign.medium,
      campaign.campaign,
      campaign.term,
      campaign.content,
      campaign.queryNames,
      slot.retentionDays,
    ];
    // Faster than quoting value by value: one call of JSON.stringify writes the whole line.
    return `${JSON.stringify(values)}\n`;
  };
}

/** What is derived from a text that was cut may itself be cut within a surrogate pair. */
function known(derived: string | undefined): string {
  return derived === undefined ? '' : storable(derived, MAX_DERIVED_LENGTH);
}
