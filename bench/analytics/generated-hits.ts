import type { AnalyticsStore } from '../../controlplane/storage/clickhouse/analytics-store.js';
import { ENTRY_IDS_FROM } from '../../shared/paths/entry-ids.js';

export interface GeneratedHits {
  readonly redirectId: string;
  /** Number of redirects, named `<redirectId>-<n>`. When absent, all hits belong to `redirectId` itself. */
  readonly redirects?: number;
  readonly count: number;
  /** Number of distinct visitors among them. */
  readonly visitors: number;
  /** Spread evenly over as many days up to now. */
  readonly days: number;
}

/** Hits of one insert: large enough to be quick, small enough for the embedded store's memory. */
const HITS_PER_INSERT = 1_000_000;

// A visitor's place, device and language depend on the visitor; path, campaign and referrer depend on the hit. `skew`
// and similar values are squares of uniform numbers: few values are common and many are rare, as in real traffic.
// Different hash seeds make them independent.
const HIT_VALUES = `
  WITH
    {first:UInt64} + number AS i,
    sipHash64(i, 1) % {visitors:UInt64} AS person,
    sipHash64(person, 2) AS traits,
    intDiv(pow(traits % 1000, 2), 1000) AS skew,
    sipHash64(i, 3) % 1000 AS occasion,
    sipHash64(i, 4) % 1000 AS origin,
    intDiv(pow(sipHash64(i, 5) % 3000, 2), 3000) AS item,
    concat('site', toString(intDiv(origin * origin, 4000)), '.example') AS site,
    occasion < 300 AS mailed,
    occasion BETWEEN 300 AND 399 AS advertised
  SELECT
    concat('generated-', {redirect:String}) AS producer_id,
    i + 1 AS ordinal,
    if({redirects:UInt64} = 0, {redirect:String}, concat({redirect:String}, '-', toString(i % {redirects:UInt64})))
      AS redirect_id,
    now64(3, 'UTC') - toIntervalMillisecond(intDiv(i * {days:UInt64} * 86400000, {count:UInt64})) AS timestamp,
    'bench.example' AS host,
    concat('/item-', toString(item)) AS path,
    multiIf(
      mailed, concat('utm_source=newsletter&utm_medium=email&utm_campaign=c', toString(occasion % 20)),
      advertised, concat('gclid=', hex(sipHash64(i, 9))), '') AS query,
    concat('https://destination.example/item-', toString(item)) AS destination_url,
    if(occasion = 999, 508, 301) AS status_code,
    'GET' AS method,
    1 AS sampling_rate,
    concat('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/', toString(skew), '.0.0.0') AS user_agent,
    if(origin < 500, '', concat('https://www.', site, '/page', toString(origin % 7))) AS referrer,
    ['en-US', 'de-DE', 'fr', 'es', 'pt-BR', 'ja'][traits % 6 + 1] AS language,
    concat('198.51.', toString(traits % 256), '.0') AS ip_address,
    sipHash64(person, 6) AS visitor,
    traits % 10 = 0 AS is_bot,
    if(traits % 10 = 0, 'user-agent', '') AS bot_reason,
    '1700000000.1' AS ruleset_version,
    if(occasion % 8 = 0, {entryIdsFrom:UInt64} + 1 + item % 500, occasion % 4) AS rule_id,
    if(occasion % 8 = 2, 1 + item % 500, 0) AS entry_id,
    if(occasion % 4 = 1, ['a', 'b'][occasion % 8 % 2 + 1], '') AS variant,
    concat(char(65 + skew % 13), char(65 + skew % 11)) AS country,
    concat('Region ', toString(skew % 300)) AS region,
    concat('City ', toString(skew)) AS city,
    1 + skew % 80 AS latitude,
    1 + skew % 170 AS longitude,
    ['mobile', 'desktop', 'tablet'][traits % 3 + 1] AS device_type,
    ['Apple', '', 'Samsung'][traits % 3 + 1] AS device_brand,
    if(traits % 3 = 1, '', concat('Model ', toString(skew % 100))) AS device_model,
    ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet'][skew % 5 + 1] AS browser_name,
    concat(toString(skew % 40), '.0') AS browser_version,
    ['Windows', 'iOS', 'Android', 'Mac OS'][traits % 4 + 1] AS os_name,
    toString(skew % 9) AS os_version,
    if(origin < 500, '', site) AS referrer_domain,
    if(origin < 500, 'direct', 'website') AS referrer_type,
    if(mailed, 'newsletter', '') AS utm_source,
    if(mailed, 'email', '') AS utm_medium,
    if(mailed, concat('c', toString(occasion % 20)), '') AS utm_campaign,
    multiIf(mailed, 'utm_campaign&utm_medium&utm_source', advertised, 'gclid', '') AS query_names,
    365 AS retention_days
  FROM numbers({batch:UInt64})`;

const ALL_CORES = 'SETTINGS max_threads = 2, max_insert_threads = 2';

/** The columns, in the order above. */
const COLUMNS = `
  producer_id, ordinal, redirect_id, timestamp, host, path, query, destination_url, status_code, method,
  sampling_rate, user_agent, referrer, language, ip_address, visitor, is_bot, bot_reason,
  ruleset_version, rule_id, entry_id, variant, country, region, city, latitude, longitude, device_type, device_brand, device_model,
  browser_name, browser_version, os_name, os_version, referrer_domain, referrer_type, utm_source,
  utm_medium, utm_campaign, query_names, retention_days`;

/** Makes hits within the engine and resolves once they are in the table; some 300,000 a second on one core. */
export async function addGeneratedHits(store: AnalyticsStore, hits: GeneratedHits): Promise<void> {
  const { redirectId, redirects = 0, count, visitors, days } = hits;
  for (let first = 0; first < count; first += HITS_PER_INSERT) {
    const batch = Math.min(HITS_PER_INSERT, count - first);
    await store.command(`INSERT INTO hits (${COLUMNS}) ${HIT_VALUES} ${ALL_CORES}`, {
      redirect: redirectId,
      entryIdsFrom: ENTRY_IDS_FROM,
      redirects,
      count,
      visitors,
      days,
      first,
      batch,
    });
  }
}
