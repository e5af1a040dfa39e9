import { type Static, Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { type Coordinates, countryCoordinates } from '../country-centroids.js';
import { countryName } from '../country-names.js';
import { type Asking, defineQuestion } from '../question.js';
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
      {
        description:
          'In degrees. Of most countries, and of cities where the database that places visitors has them; not of regions.',
      },
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
    const { rows, totalRows, totalHits, otherHits } = await readPlaces(asking, groupBy);
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

/** Coordinates are told of cities, and are 0 of all others. */
async function readPlaces(asking: Asking, groupBy: Grouping) {
  const options = {
    keys: KEYS[groupBy],
    columns: COLUMNS[groupBy],
    covered: "place != ''",
    limit: MAX_LIST_ROWS,
  };
  if (groupBy === 'city') {
    return rankedList(asking, { ...options, rollUp: 'by_place', extremes: ['north', 'east'] });
  }
  const list = await rankedList(asking, {
    ...options,
    rollUp: groupBy === 'country' ? 'by_country' : 'by_place',
  });
  return { ...list, rows: list.rows.map((row) => ({ ...row, north: 0, east: 0 })) };
}

/** The code goes first: of equals it decides on the order. */
const KEYS: Readonly<Record<Grouping, Readonly<Record<'code' | 'place', string>>>> = {
  country: { code: 'country', place: 'country' },
  region: { code: "concat(country, '-', region)", place: 'region' },
  city: { code: "concat(country, '-', region, '-', city)", place: 'city' },
};

const COLUMNS: Readonly<Record<Grouping, readonly string[]>> = {
  country: ['country'],
  region: ['country', 'region'],
  city: ['country', 'region', 'city'],
};

function locationOf(
  groupBy: Grouping,
  { code, place, hits, uniqueVisitors, north, east }: RankedRow<'code' | 'place', 'north' | 'east'>,
  share: number,
): Static<typeof LocationSchema> {
  const coordinates = groupBy === 'country' ? countryCoordinates(code) : cityCoordinates(north, east);
  return {
    code,
    name: groupBy === 'country' ? countryName(code) : place,
    hits,
    uniqueVisitors,
    percentage: share,
    ...(coordinates && { coordinates }),
  };
}

/** A zero stands for what is not known, be it of some hits only: beside it the other one may be of other hits. */
function cityCoordinates(latitude: number, longitude: number): Coordinates | undefined {
  return latitude === 0 || longitude === 0 ? undefined : { latitude, longitude };
}
