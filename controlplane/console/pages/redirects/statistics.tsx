import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import {
  exportAddress,
  type HitFilter,
  type RankedRow,
  useStatistics,
  useTopRules,
} from '../../data/statistics';
import { RedirectFrame } from '../../features/redirects/redirect-frame';
import { HeatMap } from '../../features/statistics/heat-map';
import { HitTable } from '../../features/statistics/hit-table';
import { LiveVisits } from '../../features/statistics/live-visits';
import { NumberCards } from '../../features/statistics/number-cards';
import { PeriodPicker } from '../../features/statistics/period-picker';
import { QualityNotes } from '../../features/statistics/quality-notes';
import { RankedCard } from '../../features/statistics/ranked-card';
import { rankedRows } from '../../features/statistics/ranked-rows';
import { TimeChart } from '../../features/statistics/time-chart';
import { usePeriod } from '../../features/statistics/use-period';
import { lazyPage } from '../../routing/lazy-page';
import { texts } from '../../texts/texts';

const { statistics: words } = texts;
const WorldMap = lazyPage(() => import('../../features/statistics/world-map'));
const LISTS = [
  'countries',
  'referrers',
  'paths',
  'destinations',
  'devices',
  'browsers',
  'systems',
  'languages',
  'campaigns',
  'statusCodes',
  'bots',
] as const;
/** Lists whose rows filter, with the name of the filter. The API filters visits by nothing else. */
const FILTER_OF: Readonly<Partial<Record<(typeof LISTS)[number], 'country' | 'statusCode'>>> = {
  countries: 'country',
  statusCodes: 'statusCode',
};

export default function StatisticsPage({ id }: { readonly id: string }) {
  return (
    <RedirectFrame id={id} part={words.title}>
      {() => <StatisticsOf id={id} />}
    </RedirectFrame>
  );
}

function StatisticsOf({ id }: { readonly id: string }) {
  const state = usePeriod();
  const { period, params, change } = state;
  const filter = filterOf(params);
  const statistics = useStatistics(id, period, filter.isBot === 'false' ? false : undefined);
  const rules = useTopRules(id, period).data ?? [];
  const toggle = (name: FilterName, value: string) =>
    showVisits(change, { [name]: filter[name] === value ? '' : value });
  return (
    <>
      <div class="statistics-head">
        <PeriodPicker state={state} />
        <LiveVisits id={id} />
        <p>
          <span class="quiet">{words.exportAs}</span>{' '}
          <a href={exportAddress(id, period, filter, 'csv')} download>
            {words.exportCsv}
          </a>{' '}
          <a href={exportAddress(id, period, filter, 'ndjson')} download>
            {words.exportJson}
          </a>
        </p>
      </div>
      <Loaded query={statistics}>
        {({ data, meta }) => {
          const rows = rankedRows(data);
          return (
            <>
              <QualityNotes meta={meta} />
              <NumberCards summary={data.comparison.summary} />
              <TimeChart series={data.time.timeSeries} isByHour={period.days <= 2} />
              <Card title={words.map.title}>
                <WorldMap locations={data.geo.locations} onChoose={(code) => toggle('country', code)} />
              </Card>
              <div class="lists">
                {LISTS.map((list) => (
                  <RankedCard
                    key={list}
                    title={words.lists[list]}
                    rows={rows[list] ?? []}
                    {...choiceOf(list, filter, toggle)}
                  />
                ))}
                <RankedCard
                  title={words.lists.rules}
                  rows={rules}
                  chosen={filter.ruleId}
                  onChoose={({ key }) => toggle('ruleId', key)}
                />
              </div>
            </>
          );
        }}
      </Loaded>
      <HeatMap id={id} period={period} />
      <HitTable id={id} period={period} filter={filter} rules={rules} onChange={change} />
    </>
  );
}

type Change = ReturnType<typeof usePeriod>['change'];
type FilterName = 'country' | 'statusCode' | 'ruleId' | 'bots';

/** Returns the effect of a click on a row of a list. */
function choiceOf(
  list: (typeof LISTS)[number],
  filter: ReturnType<typeof filterOf>,
  toggle: (name: FilterName, value: string) => void,
) {
  // The API tells bots from people, not bots from each other.
  if (list === 'bots') return { onChoose: () => toggle('bots', 'true') };
  const name = FILTER_OF[list];
  if (name === undefined) return {};
  return { chosen: filter[name], onChoose: ({ key }: RankedRow) => toggle(name, key) };
}

/** Filters the visits by a row of a list, and shows them. */
function showVisits(change: Change, filter: Readonly<Record<string, string>>): void {
  change({ ...filter, page: '' });
  document.getElementById('visits')?.scrollIntoView({ block: 'start' });
}

function filterOf(params: URLSearchParams): HitFilter & { readonly bots: string } {
  const bots = params.get('bots');
  const isBot = bots === 'true' || bots === 'false' ? bots : '';
  return {
    page: Math.max(1, Math.trunc(Number(params.get('page') ?? 1)) || 1),
    country: params.get('country') ?? '',
    statusCode: params.get('statusCode') ?? '',
    ruleId: params.get('ruleId') ?? '',
    isBot,
    bots: isBot,
  };
}
