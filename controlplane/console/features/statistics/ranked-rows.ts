import type { HitConditions, RankedRow, Statistics } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { lists: words } = texts.statistics;
const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Filter value for visits whose value is unknown. */
const UNKNOWN = 'unknown';

type Data = Statistics['data'];

/** Returns the rows of all lists of the page, in one type. */
export function rankedRows(data: Data): Readonly<Record<string, readonly RankedRow[]>> {
  return {
    countries: data.geo.locations.map((row) => ({
      ...row,
      key: row.code ?? '',
      name: countryName(row.code, row.name),
      conditions: { country: row.code || UNKNOWN },
    })),
    referrers: data.referrers.referrers.map((row) => ({
      ...row,
      key: `${row.type} ${row.url}`,
      name: row.type === 'direct' ? words.direct : row.url || capital(row.type),
      conditions: { referrer: row.type === 'direct' ? 'direct' : row.url || row.type },
    })),
    campaigns: data.campaigns.campaigns.map((row) => {
      const name = [row.campaign, row.source, row.medium, row.term, row.content].filter(Boolean).join(' · ');
      const conditions = campaignOf(row);
      return { ...row, key: JSON.stringify(conditions), name: name || words.unknown, conditions };
    }),
    paths: data.paths.paths.map((row) => ({
      ...row,
      key: row.path,
      name: row.path,
      conditions: { path: row.path },
    })),
    destinations: data['destination-urls'].destinationUrls.map((row) => ({
      ...row,
      key: row.destinationUrl,
      name: row.destinationUrl,
      conditions: { destination: row.destinationUrl },
    })),
    devices: data.devices.devices.map((row) => ({
      ...row,
      key: row.type,
      name: capital(row.type),
      conditions: { device: row.type },
    })),
    browsers: data['browser-families'].browserFamilies.map((row) => ({
      ...row,
      key: row.browser,
      name: known(row.browser),
      conditions: { browser: row.browser || UNKNOWN },
    })),
    systems: data.devices.operatingSystems.map((row) => {
      const name = `${known(row.name)} ${row.version ?? ''}`.trim();
      return { ...row, key: name, name, conditions: { os: row.name || UNKNOWN } };
    }),
    languages: data.languages.languages.map((row) => ({
      ...row,
      key: row.language ?? '',
      name: row.name ?? row.language ?? words.unknown,
      conditions: { language: row.language ?? UNKNOWN },
    })),
    statusCodes: data['status-codes'].statusCodes.map((row) => ({
      ...row,
      key: String(row.statusCode),
      name: String(row.statusCode),
      conditions: { statusCode: String(row.statusCode) },
    })),
    bots: data.bots.bots.map((row) => ({ ...row, key: row.botReason, name: capital(row.botReason) })),
  };
}

export function countryName(code: string | null, name?: string | null): string {
  if (code === null || code === '' || code === 'unknown') return words.unknown;
  return name ?? (/^[A-Z]{2}$/.test(code) ? (COUNTRIES.of(code) ?? code) : code);
}

/** Returns a condition for every campaign tag. With fewer conditions the filter would include visits of other rows. */
function campaignOf(row: Data['campaigns']['campaigns'][number]): HitConditions {
  const { source, medium, campaign, term, content } = row;
  return {
    source: source ?? '',
    medium: medium ?? '',
    campaign: campaign ?? '',
    term: term ?? '',
    content: content ?? '',
  };
}

const known = (name: string) => (name === '' || name === 'unknown' ? words.unknown : name);
const capital = (name: string) => known(name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '));
