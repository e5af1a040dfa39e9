import { Loaded } from '../../components/messages';
import { exportAddress, type HitFilter, useStatistics } from '../../data/statistics';
import { RedirectFrame } from '../../features/redirects/redirect-frame';
import { HeatMap } from '../../features/statistics/heat-map';
import { HitTable } from '../../features/statistics/hit-table';
import { NumberCards } from '../../features/statistics/number-cards';
import { PeriodPicker } from '../../features/statistics/period-picker';
import { QualityNotes } from '../../features/statistics/quality-notes';
import { RankedCard } from '../../features/statistics/ranked-card';
import { rankedRows } from '../../features/statistics/ranked-rows';
import { TimeChart } from '../../features/statistics/time-chart';
import { usePeriod } from '../../features/statistics/use-period';
import { texts } from '../../texts/texts';

const { statistics: words } = texts;
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
  'bots',
] as const;

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
  const statistics = useStatistics(id, period);
  const filter = filterOf(params);
  return (
    <>
      <div class="statistics-head">
        <PeriodPicker state={state} />
        <p>
          <span class="quiet">{words.exportAs}</span>{' '}
          <a href={exportAddress(id, period, 'csv')} download>
            {words.exportCsv}
          </a>{' '}
          <a href={exportAddress(id, period, 'ndjson')} download>
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
              <div class="lists">
                {LISTS.map((list) => (
                  <RankedCard
                    key={list}
                    title={words.lists[list]}
                    rows={rows[list] ?? []}
                    {...(list === 'countries' && {
                      onChoose: ({ key }) => showVisits(change, { country: key }),
                    })}
                    {...(list === 'bots' && { onChoose: () => showVisits(change, { bots: 'true' }) })}
                  />
                ))}
              </div>
            </>
          );
        }}
      </Loaded>
      <HeatMap id={id} period={period} />
      <HitTable id={id} period={period} filter={filter} onChange={change} />
    </>
  );
}

type Change = ReturnType<typeof usePeriod>['change'];

/** Filters the visits by a row of a list, and shows them. */
function showVisits(change: Change, filter: Readonly<Record<string, string>>): void {
  change({ ...filter, page: '' });
  document.getElementById('visits')?.scrollIntoView({ block: 'start' });
}

function filterOf(params: URLSearchParams): HitFilter {
  const bots = params.get('bots');
  return {
    page: Math.max(1, Math.trunc(Number(params.get('page') ?? 1)) || 1),
    country: params.get('country') ?? '',
    isBot: bots === 'true' || bots === 'false' ? bots : '',
  };
}
