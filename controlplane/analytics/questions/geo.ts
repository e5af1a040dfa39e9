import { type Static, Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { countryCoordinates } from '../country-centroids.js';
import { countryName } from '../country-names.js';
import { defineQuestion } from '../question.js';
import { type RankedRow, rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { shares } from '../shares.js';

const GROUPINGS = ['country', 'region', 'city'] as const;
type Grouping = (typeof GROUPINGS)[number];

const LocationSchema = Type.Object({
  code: Type.String({
    description:
      'Country: ISO 3166-1 alpha-2. Region: country and region (`DE-Bavaria`). City: country, region and city (`DE-Bavaria-Munich`), the region empty where it is not known (`DE--Munich`).',
  }),
  name: Type.String({ description: 'In English.' }),
  hits: count('Hits from there; without bots unless `includeBots`.'),
  uniqueVisitors: count('Distinct visitors from there.'),
  percentage: percent('Share of the hits whose location is known.'),
  coordinates: Type.Optional(
    Type.Object(
      { latitude: Type.Number(), longitude: Type.Number() },
      { description: 'In degrees. Of most countries, and not of regions and cities.' },
    ),
  ),
});

export const geoStats = defineQuestion({
  path: 'stats/geo',
  summary: 'Where visitors are',
  title: 'GeoStats',
  query: {
    groupBy: Type.Enum([...GROUPINGS], { default: 'country', description: 'What a location is.' }),
  },
  data: Type.Object({
    locations: Type.Array(LocationSchema, {
      description: `By hits, most first, then by code; unknown ones left out, ${MAX_LIST_ROWS} at most.`,
    }),
    summary: Type.Object({
      totalLocations: count('Locations, also those beyond the end of the list.'),
      topLocation: Type.Union([Type.String({ description: 'Name of the first one.' }), Type.Null()]),
      coverage: percent('Share of hits whose location is known.'),
    }),
  }),
  meta: { groupBy: Type.Enum([...GROUPINGS]) },
  async ask(asking, { groupBy }) {
    const { rows, totalRows, totalHits, otherHits } = await rankedList(asking, {
      rollUp: 'by_place',
      keys: KEYS[groupBy],
      covered: "place != ''",
      limit: MAX_LIST_ROWS,
    });
    const percentages = shares(
      rows.map(({ hits }) => hits),
      totalHits,
    );
    const locations = rows.map((row, index) => locationOf(groupBy, row, percentages[index] ?? 0));
    const summary = {
      totalLocations: totalRows,
      topLocation: locations[0]?.name ?? null,
      coverage: percentage(totalHits, totalHits + otherHits),
    };
    return { data: { locations, summary }, meta: { groupBy } };
  },
});

/** The code goes first: of equals it decides on the order. */
const KEYS: Readonly<Record<Grouping, Readonly<Record<'code' | 'place', string>>>> = {
  country: { code: 'country', place: 'country' },
  region: { code: "concat(country, '-', region)", place: 'region' },
  city: { code: "concat(country, '-', region, '-', city)", place: 'city' },
};

function locationOf(
  groupBy: Grouping,
  { code, place, hits, uniqueVisitors }: RankedRow<'code' | 'place'>,
  share: number,
): Static<typeof LocationSchema> {
  const location = { code, name: place, hits, uniqueVisitors, percentage: share };
  if (groupBy !== 'country') return location;
  const coordinates = countryCoordinates(code);
  return { ...location, name: countryName(code), ...(coordinates && { coordinates }) };
}
