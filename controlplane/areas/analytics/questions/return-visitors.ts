import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
import { average, percentage } from '../ratios.js';
import { shares } from '../shares.js';
import { HIT_BY_HIT, SAMPLED_VISITOR, VISITORS_PER_SAMPLED } from '../source.js';
import { rowCounts, withShares } from './list-rows.js';

const VISITOR_TYPES = ['single', 'returning'] as const;

/**
 * Maximum number of visitors that are read one by one; distinguishing them takes most of the time. For more, a sample
 * of at least 4,096 visitors is read. The standard error of its proportions is at most 0.8 % (√(p(1 − p) / 4096), p =
 * 0.5), like that of the number of all visitors.
 */
const MAX_VISITORS = 65_536;

interface VisitRange {
  readonly minVisits: number;
  /** null: unlimited. */
  readonly maxVisits: number | null;
}

/** Ranges of the number of visits. The first one is a single visit. */
const VISIT_RANGES: readonly [VisitRange, ...VisitRange[]] = [
  { minVisits: 1, maxVisits: 1 },
  { minVisits: 2, maxVisits: 2 },
  { minVisits: 3, maxVisits: 3 },
  { minVisits: 4, maxVisits: 4 },
  { minVisits: 5, maxVisits: 5 },
  { minVisits: 6, maxVisits: 10 },
  { minVisits: 11, maxVisits: 20 },
  { minVisits: 21, maxVisits: 50 },
  { minVisits: 51, maxVisits: null },
];

export const returnVisitorStats = defineQuestion({
  path: 'stats/return-visitors',
  summary: 'Visitors who came once, and who came again',
  title: 'ReturnVisitorStats',
  query: {},
  data: Type.Object({
    visitors: Type.Array(
      Type.Object({
        visitorType: Type.Enum([...VISITOR_TYPES], {
          description: '`returning`: more than one recorded hit in the period.',
        }),
        ...rowCounts('all these hits'),
      }),
      { description: 'New and returning visitors, sorted by hits.' },
    ),
    distribution: Type.Array(
      Type.Object({
        minVisits: count('Smallest number of hits of a visitor in this range.'),
        maxVisits: Type.Union([
          count('Largest number of hits of a visitor in this range. Null means unlimited.'),
          Type.Null({ description: 'Any number.' }),
        ]),
        uniqueVisitors: count('Visitors in this range.'),
        percentage: percent('Percentage of `uniqueVisitors`.'),
      }),
      { description: 'Visitors by number of visits, including empty ranges.' },
    ),
    summary: Type.Object({
      totalHits: count('Hits of the period. Excludes bots unless `includeBots`.'),
      uniqueVisitors: count('New and returning visitors together.'),
      returningVisitors: count('Visitors with more than one hit.'),
      returningPercentage: percent('Percentage of `returningVisitors` in `uniqueVisitors`.'),
      avgHitsPerVisitor: Type.Number({ description: '`totalHits` divided by `uniqueVisitors`.' }),
    }),
  }),
  meta: {
    visitorSampleRate: Type.Number({
      description: `Sampled share of the visitors: 1 (exact) up to about ${MAX_VISITORS} visitors, above it 1/${VISITORS_PER_SAMPLED} with a standard error of at most 0.8 % for returning visitors.`,
    }),
  },
  series: () => ({ distribution: 'visits-per-visitor' }),
  async ask(context) {
    const totals = await readTotals(context);
    const isSampled = totals.visitors > MAX_VISITORS;
    const { single, returning, totalHits, visitorsByVisits } = isSampled
      ? scaled(await readSample(context), totals)
      : await readAll(context);
    const uniqueVisitors = single + returning;
    // Visitors who came once have one hit; all other hits are of those who returned.
    const rows = [
      { visitorType: 'returning' as const, hits: totalHits - single, uniqueVisitors: returning },
      { visitorType: 'single' as const, hits: single, uniqueVisitors: single },
    ].filter(({ hits }) => hits > 0);
    const summary = {
      totalHits,
      uniqueVisitors,
      returningVisitors: returning,
      returningPercentage: percentage(returning, uniqueVisitors),
      avgHitsPerVisitor: average(totalHits, uniqueVisitors),
    };
    const ranked = rows.sort((one, other) => other.hits - one.hits);
    return {
      data: {
        visitors: withShares(ranked, totalHits),
        distribution: distributionOf(visitorsByVisits, returning),
        summary,
      },
      meta: { visitorSampleRate: isSampled ? 1 / VISITORS_PER_SAMPLED : 1 },
    };
  },
});

const NO_HITS = { totalHits: 0, visitors: 0 } as const;
type Totals = Readonly<Record<keyof typeof NO_HITS, number>>;

async function readTotals(context: QueryContext): Promise<Totals> {
  const list = { rollUp: 'by_day', keys: {}, of: 'audience', withVisitors: true } as const;
  const [totals] = await context.countHits(list);
  return totals === undefined ? NO_HITS : { totalHits: totals.hits, visitors: totals.uniqueVisitors };
}

const NO_VISITORS: VisitorCounts = {
  single: 0,
  returning: 0,
  totalHits: 0,
  visitorsByVisits: VISIT_RANGES.map(() => 0),
};

interface VisitorCounts {
  readonly single: number;
  readonly returning: number;
  /** Returns the hits of new and of returning visitors. */
  readonly totalHits: number;
  /** Number of visitors for each of `VISIT_RANGES`, which begins with a single visit. */
  readonly visitorsByVisits: readonly number[];
}

/**
 * Returns the number of all visitors, as in other answers, in the proportions of a sample. Returning visitors have at
 * least two hits: there are never more of them than hits for them, and at least one if there are more hits than
 * visitors.
 */
function scaled(
  { single, returning, visitorsByVisits }: VisitorCounts,
  { totalHits, visitors }: Totals,
): VisitorCounts {
  const all = Math.min(visitors, totalHits);
  const furtherHits = totalHits - all;
  const proportional = Math.round((all * returning) / Math.max(1, single + returning));
  const again = Math.min(Math.max(1, proportional), furtherHits);
  return {
    single: all - again,
    returning: again,
    totalHits,
    visitorsByVisits: [all - again, ...visitorsByVisits.slice(1)],
  };
}

const countVisitors = (visits: string) =>
  `SELECT countIf(visits = 1) AS single, countIf(visits > 1) AS returning, sum(visits) AS totalHits,
     ${visitsColumns('visits')} AS visitorsByVisits FROM (${visits})`;

async function readSample({ source, select }: QueryContext): Promise<VisitorCounts> {
  const hits = source.groups({
    rollUp: 'by_visitor',
    keys: { sampled: SAMPLED_VISITOR },
    measures: ['n'],
    where: `${AUDIENCE} AND sampled != 0`,
  });
  const [found] = await select<VisitorCounts>(
    countVisitors(`SELECT sum(n) AS visits FROM (${hits}) GROUP BY sampled`),
  );
  return found ?? NO_VISITORS;
}

async function readAll({ source, select }: QueryContext): Promise<VisitorCounts> {
  const [found] = await select<VisitorCounts>(
    countVisitors(
      `SELECT count() AS visits FROM hits WHERE ${source.hits} AND ${AUDIENCE} GROUP BY visitor ${HIT_BY_HIT}`,
    ),
  );
  return found ?? NO_VISITORS;
}

/** SQL of an array: the number of rows in each range. */
function visitsColumns(visits: string): string {
  const counts = VISIT_RANGES.map(({ minVisits, maxVisits }) =>
    maxVisits === null
      ? `countIf(${visits} >= ${minVisits})`
      : `countIf(${visits} BETWEEN ${minVisits} AND ${maxVisits})`,
  );
  return `[${counts.join(', ')}]`;
}

/**
 * Returns the ranges with their visitors.
 *
 * @param counted visitors of each range; beyond the first one possibly those of a sample
 * @param returning number of all visitors beyond the first range, which is distributed over these
 */
function distributionOf(counted: readonly number[], returning: number) {
  const [single = 0, ...again] = counted;
  const visitors = [single, ...apportioned(again, returning)];
  const percentages = shares(visitors, single + returning);
  return VISIT_RANGES.map((range, index) => ({
    ...range,
    uniqueVisitors: visitors[index] ?? 0,
    percentage: percentages[index] ?? 0,
  }));
}

/** Returns whole numbers in the proportions of `parts` with the sum `total`. */
function apportioned(parts: readonly number[], total: number): number[] {
  const sum = parts.reduce((all, part) => all + part, 0);
  if (sum === total) return [...parts];
  // A sample may contain none of a few returning visitors.
  if (sum === 0) return parts.map((_, index) => (index === 0 ? total : 0));
  let seen = 0;
  return parts.map((part) => {
    const before = Math.round((total * seen) / sum);
    seen += part;
    return Math.round((total * seen) / sum) - before;
  });
}
