import { ENTRY_IDS_FROM } from '../../../../shared/paths/entry-ids.js';
import { shownVisitor } from '../analytics-app.fixture.js';
import { iso } from '../period.js';
import type { Asked } from './asked.fixture.js';
import { besideRule, type KnownHit } from './random-traffic.fixture.js';

/**
 * Returns the hits that satisfy all conditions, newest first; those of one millisecond by producer, and then by
 * descending number.
 */
function found({ allHits, includeBots, query }: Asked): KnownHit[] {
  const { isBot = includeBots === false ? false : undefined } = query;
  return allHits.filter((hit) => isBot === undefined || (hit.is_bot === 1) === isBot).sort(newestFirst);
}

function newestFirst(one: KnownHit, other: KnownHit): number {
  const [producer, ordinal] = nameOf(one);
  const [otherProducer, otherOrdinal] = nameOf(other);
  if (one.timeMs !== other.timeMs) return other.timeMs - one.timeMs;
  if (producer !== otherProducer) return producer > otherProducer ? -1 : 1;
  return otherOrdinal - ordinal;
}

/** An id is `<producer>-<ordinal>`. */
function nameOf({ id }: KnownHit): [string, number] {
  const dash = id.lastIndexOf('-');
  return [id.slice(0, dash), Number(id.slice(dash + 1))];
}

/** Returns `data` and `pagination` of a page. */
export function page(asked: Asked) {
  const { page: number = 1, limit = 20 } = asked.query as { page?: number; limit?: number };
  const all = found(asked);
  const pagination = {
    page: number,
    limit,
    total: all.length,
    totalPages: Math.ceil(all.length / limit),
  };
  return { data: all.slice((number - 1) * limit, number * limit).map(hitOf), pagination };
}

/** Returns every hit as `hits` shows it. */
export function exported(asked: Asked) {
  return found(asked).map(hitOf);
}

function hitOf(hit: KnownHit) {
  return {
    id: hit.id,
    timestamp: iso(hit.timeMs),
    host: hit.host,
    path: hit.path,
    query: hit.query,
    destinationUrl: hit.destination_url || null,
    statusCode: hit.status_code,
    ruleId: hit.rule_id > ENTRY_IDS_FROM ? null : hit.rule_id || null,
    entryId: hit.rule_id > ENTRY_IDS_FROM ? hit.rule_id - ENTRY_IDS_FROM : besideRule(hit) || null,
    variant: hit.variant || null,
    country: hit.country || null,
    region: hit.region || null,
    city: hit.city || null,
    deviceType: hit.device_type || null,
    deviceBrand: hit.device_brand || null,
    deviceModel: hit.device_model || null,
    browser: hit.browser_name || null,
    browserVersion: hit.browser_version || null,
    os: hit.os_name || null,
    osVersion: hit.os_version || null,
    language: hit.language || null,
    referrer: hit.referrer || null,
    referrerDomain: hit.referrer_domain || null,
    referrerType: hit.referrer_type,
    isBot: hit.is_bot === 1,
    botReason: hit.bot_reason || null,
    ipAddress: hit.ip_address,
    userAgent: hit.user_agent || null,
    visitorId: shownVisitor('owner', hit.timeMs, hit.visitor_id),
    utm: {
      source: hit.utm_source || null,
      medium: hit.utm_medium || null,
      campaign: hit.utm_campaign || null,
      term: hit.utm_term || null,
      content: hit.utm_content || null,
    },
    rulesetVersion: hit.ruleset_version,
  };
}
