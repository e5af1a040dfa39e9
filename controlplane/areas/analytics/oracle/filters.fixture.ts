import { entryIdOf } from '../../../../shared/paths/entry-ids.js';
import type { Dice } from './dice.fixture.js';
import type { KnownHit } from './random-traffic.fixture.js';

type Value = string | number;

interface Filter {
  /** Values of the filters; the last one has no hits. */
  readonly values: readonly Value[];
  readonly selects: (hit: KnownHit, value: Value) => boolean;
}

const isOf = (column: keyof KnownHit) => (hit: KnownHit, value: Value) => hit[column] === value;
const isOfOrUnknown = (column: keyof KnownHit) => (hit: KnownHit, value: Value) =>
  hit[column] === (value === 'unknown' ? '' : value);

/** Every filter of hits. */
export const FILTERS: Readonly<Record<string, Filter>> = {
  country: { values: ['DE', 'US', 'unknown', 'FR'], selects: isOfOrUnknown('country') },
  region: {
    values: ['DE-Bavaria', 'US-Illinois', 'US-Texas'],
    selects: ({ country, region }, value) => region !== '' && `${country}-${region}` === value,
  },
  city: {
    values: ['US-Illinois-Springfield', 'AT--Vienna', 'CZ-Jihočeský kraj-'],
    selects: ({ country, region, city }, value) => city !== '' && `${country}-${region}-${city}` === value,
  },
  device: { values: ['mobile', 'desktop', 'unknown', 'wearable'], selects: isOfOrUnknown('device_type') },
  browser: { values: ['Chrome', 'Žižala', 'unknown', 'Netscape'], selects: isOfOrUnknown('browser_name') },
  os: { values: ['iOS', 'Windows', 'unknown', 'BeOS'], selects: isOfOrUnknown('os_name') },
  language: { values: ['de', 'en-US', 'unknown', 'en'], selects: isOfOrUnknown('language') },
  referrer: {
    values: ['blog.example', 'https://blog.example/b', 'direct', 'social', 'unknown', 'google.com', 'search'],
    selects: ({ referrer, referrer_domain, referrer_type }, value) => {
      if (referrer_domain !== '') return value === referrer || value === referrer_domain;
      if (referrer === '') return value === 'direct';
      return value === (referrer_type === 'social' ? 'social' : 'unknown');
    },
  },
  source: { values: ['mailing', '', 'nobody'], selects: isOf('utm_source') },
  medium: { values: ['email', 'cpc', '', 'none'], selects: isOf('utm_medium') },
  campaign: { values: ['spring', '', 'winter'], selects: isOf('utm_campaign') },
  term: { values: ['shoes & socks', '', 'hats'], selects: isOf('utm_term') },
  content: { values: ["léto '26\t50 %", '', 'banner'], selects: isOf('utm_content') },
  path: { values: ['/item-0', '/item-1', '/item'], selects: isOf('path') },
  destination: {
    values: ['https://new.example/item-0', 'https://new.example'],
    selects: isOf('destination_url'),
  },
  statusCode: { values: [301, 404, 599], selects: isOf('status_code') },
  ruleId: { values: [12, 13, Number.MAX_SAFE_INTEGER], selects: isOf('rule_id') },
  variant: { values: ['blue', 'red'], selects: isOf('variant') },
  entryId: {
    values: [7, 9, 8],
    selects: ({ rule_id, entry_id }, value) => value === (entryIdOf(rule_id) ?? entry_id),
  },
};

/** Returns no filter, one or two. */
export function randomFilters(dice: Dice): Record<string, Value> {
  const names = dice.chance(0.5) ? [] : dice.chance(0.6) ? [0] : [0, 1];
  return Object.fromEntries(
    names.map(() => {
      const [name, { values }] = dice.pick(Object.entries(FILTERS));
      return [name, dice.pick(values)];
    }),
  );
}

/** Returns the hits that all filters in the query select. */
export function filtered(
  hits: readonly KnownHit[],
  query: Readonly<Record<string, unknown>>,
): readonly KnownHit[] {
  const given = Object.entries(FILTERS).filter(([name]) => query[name] !== undefined);
  return hits.filter((hit) => given.every(([name, { selects }]) => selects(hit, query[name] as Value)));
}
