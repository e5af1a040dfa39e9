import { type Static, Type } from 'typebox';
import { count, MAX_LIST_ROWS, percent } from '../analytics-schema.js';
import { type Coordinates, countryCoordinates, countryName } from '../countries.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { type RankedList, type RankedRow, rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { byHits, sumOfHits, withShares } from './list-rows.js';

const GROUPINGS = ['country', 'region', 'city'] as const;
type Grouping = (typeof GROUPINGS)[number];

const LocationSchema = Type.Object({
  code: Type.String({
    description:
      'Country: ISO 3166-1 alpha-2. Region: `DE-Bavaria`. City: `DE-Bavaria-Munich`, or `DE--Munich` if the region is unknown.',
  }),
  name: Type.String({ description: 'English name.' }),
  hits: count('Hits from this location. Excludes bots unless `includeBots`.'),
  uniqueVisitors: count('Distinct visitors from this location.'),
  percentage: percent('Percentage of the hits with a known location.'),
  coordinates: Type.Optional(
    Type.Object(
      { latitude: Type.Number(), longitude: Type.Number() },
      {
        description:
          'Position in degrees. Known for most countries, and for cities if the geographic database has them.',
      },
    ),
  ),
});

export const geoStats = defineQuestion({
  path: 'stats/geo',
  summary: 'Locations of visitors',
  title: 'GeoStats',
  query: {
    groupBy: Type.Enum([...GROUPINGS], { default: 'country', description: 'Kind of location.' }),
  },
  data: Type.Object({
    locations: Type.Array(LocationSchema, {
      description: `Known locations, sorted by hits, then by code. At most ${MAX_LIST_ROWS}.`,
    }),
    summary: Type.Object({
      totalLocations: count('Number of locations, including those beyond the end of the list.'),
      topLocation: Type.Union([Type.String({ description: 'Name of the first location.' }), Type.Null()]),
      coverage: percent('Percentage of hits with a known location.'),
    }),
  }),
  meta: { groupBy: Type.Enum([...GROUPINGS]) },
  async ask(context, { groupBy }) {
    const { rows, totalRows, totalHits, otherHits } = await READERS[groupBy](context);
    const locations = withShares(rows, totalHits).map((row) => locationOf(groupBy, row));
    const summary = {
      totalLocations: totalRows,
      topLocation: locations[0]?.name ?? null,
      coverage: percentage(totalHits, totalHits + otherHits),
    };
    return { data: { locations, summary }, meta: { groupBy } };
  },
});

const NO_COORDINATES = { maxLatitude: 0, maxLongitude: 0 };

type PlaceRow = RankedRow<'code' | 'place', 'maxLatitude' | 'maxLongitude'>;
type Places = Omit<RankedList<never>, 'rows' | 'others'> & { readonly rows: readonly PlaceRow[] };

/** Reads the places. Only cities have coordinates; others have 0. */
const READERS: Readonly<Record<Grouping, (context: QueryContext) => Promise<Places>>> = {
  async country({ countHits }) {
    const keys = { code: 'country' };
    const counted = await countHits({ rollUp: 'by_country', keys, of: 'audience', withVisitors: true });
    const known = counted.filter(({ code }) => code !== '');
    const rows = byHits(known, ({ code }) => code).map((row) => ({
      ...row,
      ...NO_COORDINATES,
      place: row.code,
    }));
    const totalHits = sumOfHits(rows);
    return {
      rows: rows.slice(0, MAX_LIST_ROWS),
      totalRows: rows.length,
      totalHits,
      otherHits: sumOfHits(counted) - totalHits,
    };
  },
  region: (context) => readPlaces(context, ['country', 'region']),
  city: (context) => readPlaces(context, ['country', 'region', 'city'], ['maxLatitude', 'maxLongitude']),
};

/**
 * Reads places within others.
 *
 * @param parts columns of the code, that of the place last
 */
async function readPlaces(
  context: QueryContext,
  parts: readonly [Grouping, ...Grouping[]],
  extremes: readonly (keyof typeof NO_COORDINATES)[] = [],
): Promise<Places> {
  const column = parts.at(-1) ?? parts[0];
  const list = await rankedList(context, {
    limit: MAX_LIST_ROWS,
    rollUp: 'by_place',
    keys: Object.fromEntries(parts.map((part) => [part, part])) as Readonly<Record<Grouping, string>>,
    tieOrder: `concat(${parts.join(", '-', ")})`,
    covered: `${column} != ''`,
    extremes,
  });
  const rows = list.rows.map((row) => ({
    ...NO_COORDINATES,
    ...row,
    code: parts.map((part) => row[part]).join('-'),
    place: row[column],
  }));
  return { ...list, rows };
}

function locationOf(
  groupBy: Grouping,
  { code, place, maxLatitude, maxLongitude, ...counts }: PlaceRow & { readonly percentage: number },
): Static<typeof LocationSchema> {
  const coordinates =
    groupBy === 'country' ? countryCoordinates(code) : cityCoordinates(maxLatitude, maxLongitude);
  return {
    code,
    name: groupBy === 'country' ? countryName(code) : place,
    hits: counts.hits,
    uniqueVisitors: counts.uniqueVisitors,
    percentage: counts.percentage,
    ...(coordinates && { coordinates }),
  };
}

/** Zero means that at least some hits have no coordinates. Then the two may be from different hits, so neither is shown. */
function cityCoordinates(latitude: number, longitude: number): Coordinates | undefined {
  return latitude === 0 || longitude === 0 ? undefined : { latitude, longitude };
}
