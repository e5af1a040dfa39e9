import { ENTRY_IDS_FROM, entryIdOf, NO_ENTRY } from '../../../../shared/paths/entry-ids.js';
import { countryCoordinates, countryName } from '../countries.js';
import type { Asked, Expected } from './asked.fixture.js';
import { percentage, rowShare } from './estimates.fixture.js';
import { dailyTrends, metaOfBefore, overview, series } from './expected-counts.fixture.js';
import { besideRule, type KnownHit } from './random-traffic.fixture.js';
import { ranked, rowsOf, sizeOf } from './ranked.fixture.js';
import { COORDINATES_OF_CITY } from './traffic-values.fixture.js';

const orUnknown = (text: string) => text || 'unknown';
const limitOf = ({ query }: Asked) => Number(query.limit ?? 100);

/** The first row with a known value. */
const firstKnown = (names: readonly string[]) => names.find((name) => name !== 'unknown') ?? null;

function placesOf({ country, region, city }: KnownHit, groupBy: string) {
  if (groupBy === 'country') return country === '' ? [] : [{ code: country, name: countryName(country) }];
  if (groupBy === 'region') return region === '' ? [] : [{ code: `${country}-${region}`, name: region }];
  return city === '' ? [] : [{ code: `${country}-${region}-${city}`, name: city }];
}

function coordinatesOf({ code, name }: { code: string; name: string }, groupBy: string) {
  if (groupBy === 'country') return countryCoordinates(code);
  return groupBy === 'city' ? COORDINATES_OF_CITY[name] : undefined;
}

export function geo({ audience, query }: Asked): Expected {
  const groupBy = String(query.groupBy ?? 'country');
  const groups = ranked(audience, (hit) => placesOf(hit, groupBy));
  const locations = rowsOf(groups).map((row) => {
    const coordinates = coordinatesOf(row, groupBy);
    return { ...row, ...(coordinates && { coordinates }) };
  });
  const summary = {
    totalLocations: groups.length,
    topLocation: locations[0]?.name ?? null,
    coverage: percentage(sizeOf(groups), audience.length),
  };
  return { data: { locations, summary }, meta: { groupBy } };
}

export function devices({ audience }: Asked): Expected {
  const counted = <Key extends Readonly<Record<string, string>>>(keyOf: (hit: KnownHit) => Key) =>
    ranked(audience, (hit) => [keyOf(hit)]).map(({ key, hits }) => ({
      ...key,
      hits: hits.length,
      percentage: rowShare(hits.length, audience.length),
    }));
  const types = counted(({ device_type }) => ({ type: orUnknown(device_type) }));
  const systems = counted(({ os_name, os_version }) => ({ name: orUnknown(os_name), version: os_version }));
  const browsers = counted(({ browser_name, browser_version }) => ({
    name: orUnknown(browser_name),
    version: browser_version,
  }));
  const shareOf = (type: string) =>
    rowShare(audience.filter(({ device_type }) => device_type === type).length, audience.length);
  const top = (rows: readonly { name: string; version: string }[]) => {
    const known = rows.find(({ name }) => name !== 'unknown');
    return known === undefined ? null : `${known.name} ${known.version}`.trim();
  };
  const summary = {
    mobilePercentage: shareOf('mobile'),
    desktopPercentage: shareOf('desktop'),
    topDevice: firstKnown(types.map(({ type }) => type)),
    topOS: top(systems),
    topBrowser: top(browsers),
  };
  return { data: { devices: types, operatingSystems: systems, browsers, summary }, meta: {} };
}

/** Words for a referrer that is not a web address. */
function nameOfOther({ referrer, referrer_type }: KnownHit): string {
  if (referrer === '') return 'direct';
  return referrer_type === 'search' || referrer_type === 'social' ? referrer_type : 'unknown';
}

/** Expected type of each referrer domain in the random traffic. */
const TYPE_OF_DOMAIN: Readonly<Record<string, string>> = {
  'google.com': 'search',
  'blog.example': 'website',
  't.co': 'social',
};

/** Returns the type of the referrer, independent of tags. */
function typeOf(hit: KnownHit): string {
  if (hit.referrer === '') return 'direct';
  return TYPE_OF_DOMAIN[hit.referrer_domain] ?? hit.referrer_type;
}

export function referrers(asked: Asked): Expected {
  const { audience } = asked;
  const limit = limitOf(asked);
  const groups = ranked(audience, (hit) => [
    {
      url: hit.referrer_domain === '' ? nameOfOther(hit) : hit.referrer,
      domain: hit.referrer_domain,
      type: typeOf(hit),
    },
  ]);
  const shareOf = (type: string) =>
    percentage(audience.filter((hit) => typeOf(hit) === type).length, audience.length);
  const [top] = ranked(audience, ({ referrer_domain: domain }) => (domain === '' ? [] : [{ domain }]));
  const summary = {
    totalReferrers: groups.length,
    directTraffic: shareOf('direct'),
    searchTraffic: shareOf('search'),
    socialTraffic: shareOf('social'),
    topReferrer: top === undefined ? null : { domain: top.key.domain, hits: top.hits.length },
  };
  return { data: { referrers: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function dashboard(asked: Asked): Expected {
  const tops = <Key extends Readonly<Record<string, string | number>>>(
    keysOf: (hit: KnownHit) => readonly Key[],
  ) =>
    rowsOf(ranked(asked.audience, keysOf), 10).map(({ hits: count, uniqueVisitors, ...row }) => ({
      ...row,
      count,
    }));
  const data = {
    overview: overview(asked),
    topCountries: tops(({ country }) => (country === '' ? [] : [{ country }])),
    topDevices: tops(({ device_type }) => [{ device: orUnknown(device_type) }]),
    topBrowsers: tops(({ browser_name }) => [{ browser: orUnknown(browser_name) }]),
    topReferrers: tops((hit) => [{ referrer: hit.referrer_domain || nameOfOther(hit) }]),
    topRules: tops(({ rule_id: ruleId }) =>
      ruleId === 0 || ruleId > ENTRY_IDS_FROM
        ? []
        : [{ ruleId, name: ruleId === 12 ? 'Phones' : `Rule ${ruleId}` }],
    ),
    dailyTrends: dailyTrends(asked),
  };
  return { data, meta: { ...metaOfBefore(asked), series: { dailyTrends: series('day', asked.timezone) } } };
}

export function deviceCategories({ audience }: Asked): Expected {
  const groups = ranked(audience, ({ device_type }) => [{ device: orUnknown(device_type) }]);
  const shareOf = (device: string) =>
    rowShare(audience.filter((hit) => hit.device_type === device).length, audience.length);
  const summary = {
    totalDeviceCategories: groups.length,
    topDevice: firstKnown(groups.map(({ key }) => key.device)),
    mobilePercentage: shareOf('mobile'),
    tabletPercentage: shareOf('tablet'),
    desktopPercentage: shareOf('desktop'),
  };
  return { data: { deviceCategories: rowsOf(groups), summary }, meta: {} };
}

export function browserFamilies(asked: Asked): Expected {
  const limit = limitOf(asked);
  const groups = ranked(asked.audience, ({ browser_name }) => [{ browser: orUnknown(browser_name) }]);
  const topBrowser = firstKnown(groups.map(({ key }) => key.browser));
  const summary = { totalBrowserFamilies: groups.length, topBrowser };
  return { data: { browserFamilies: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function userAgents(asked: Asked): Expected {
  const limit = limitOf(asked);
  const groups = ranked(asked.audience, ({ user_agent: userAgent }) => [{ userAgent }]);
  const summary = { totalUserAgents: groups.length, topUserAgent: groups[0]?.key.userAgent ?? null };
  return { data: { userAgents: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function paths(asked: Asked): Expected {
  const limit = limitOf(asked);
  const groups = ranked(asked.audience, ({ path }) => [{ path }]);
  const summary = { totalPaths: groups.length, topPath: groups[0]?.key.path ?? null };
  return { data: { paths: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function destinationUrls(asked: Asked): Expected {
  const limit = limitOf(asked);
  const groups = ranked(asked.audience, ({ destination_url: destinationUrl }) =>
    destinationUrl === '' ? [] : [{ destinationUrl }],
  );
  const summary = {
    totalHits: asked.audience.length,
    sentHits: sizeOf(groups),
    totalDestinationUrls: groups.length,
    topDestinationUrl: groups[0]?.key.destinationUrl ?? null,
    coverage: percentage(sizeOf(groups), asked.audience.length),
  };
  return { data: { destinationUrls: rowsOf(groups, limit), summary }, meta: { limit } };
}

const LANGUAGES: Readonly<Record<string, string>> = {
  de: 'German',
  'en-US': 'American English',
  fr: 'French',
};

export function languages(asked: Asked): Expected {
  const limit = limitOf(asked);
  const groups = ranked(asked.audience, ({ language }) => (language === '' ? [] : [{ language }]));
  const rows = rowsOf(groups, limit).map((row) => ({ ...row, name: LANGUAGES[row.language] }));
  const summary = {
    totalLanguages: groups.length,
    topLanguage: groups[0]?.key.language ?? null,
    coverage: percentage(sizeOf(groups), asked.audience.length),
  };
  return { data: { languages: rows, summary }, meta: { limit } };
}

export function campaigns(asked: Asked): Expected {
  const limit = limitOf(asked);
  const isOfCampaign = (hit: KnownHit) =>
    [hit.utm_source, hit.utm_medium, hit.utm_campaign, hit.utm_term, hit.utm_content].some(Boolean);
  const groups = ranked(asked.audience.filter(isOfCampaign), (hit) => [
    {
      source: hit.utm_source,
      medium: hit.utm_medium,
      campaign: hit.utm_campaign,
      term: hit.utm_term,
      content: hit.utm_content,
    },
  ]);
  const rows = rowsOf(groups, limit).map(({ source, medium, campaign, term, content, ...counts }) => ({
    source: source || null,
    medium: medium || null,
    campaign: campaign || null,
    term: term || null,
    content: content || null,
    ...counts,
  }));
  const topOf = (column: 'utm_source' | 'utm_medium' | 'utm_campaign') =>
    ranked(asked.audience, (hit) => (hit[column] === '' ? [] : [{ name: hit[column] }]))[0]?.key.name ?? null;
  const summary = {
    totalHits: asked.audience.length,
    campaignHits: sizeOf(groups),
    totalCampaigns: groups.length,
    topSource: topOf('utm_source'),
    topMedium: topOf('utm_medium'),
    topCampaign: topOf('utm_campaign'),
    coverage: percentage(sizeOf(groups), asked.audience.length),
  };
  return { data: { campaigns: rows, summary }, meta: { limit } };
}

export function queryParams(asked: Asked): Expected {
  const limit = limitOf(asked);
  const covered = asked.audience.filter(({ query_names }) => query_names !== '');
  const groups = ranked(covered, ({ query_names }) => query_names.split('&').map((param) => ({ param })));
  const summary = {
    totalQueryParams: groups.length,
    topQueryParam: groups[0]?.key.param ?? null,
    coverage: percentage(covered.length, asked.audience.length),
  };
  return { data: { queryParams: rowsOf(groups, limit), summary }, meta: { limit } };
}

export function entries(given: Asked): Expected {
  const entryOf = (hit: KnownHit) => entryIdOf(hit.rule_id) ?? besideRule(hit);
  const decided = given.audience.filter((hit) => entryOf(hit) > 0);
  const groups = ranked(decided, (hit) => [{ entryId: entryOf(hit) }]);
  const rows = rowsOf(groups, limitOf(given)).map(({ uniqueVisitors: _, ...row }) => ({
    ...row,
    source: row.entryId === 7 ? '/seven' : null,
    destination: row.entryId === 7 ? '/7' : null,
    lastHitAt: row.entryId === 7 ? '2026-03-01T00:00:00.000Z' : null,
  }));
  const neverHit = [{ entryId: 8, source: '/eight', destination: null }];
  const summary = {
    totalEntries: 2,
    entriesHit: groups.length,
    entriesNeverHit: 1,
    totalHits: decided.length,
  };
  return { data: { entries: rows, neverHit, summary }, meta: { limit: limitOf(given) } };
}

export function unmatchedPaths(given: Asked): Expected {
  const unmatched = given.audience.filter(({ rule_id, entry_id }) => rule_id === 0 || entry_id === NO_ENTRY);
  const groups = ranked(unmatched, ({ path }) => [{ path }]);
  const rows = rowsOf(groups, limitOf(given));
  const summary = { totalPaths: groups.length, totalHits: unmatched.length, topPath: rows[0]?.path ?? null };
  return { data: { paths: rows, summary }, meta: { limit: limitOf(given) } };
}
