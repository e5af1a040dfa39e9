import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { useRules } from '../../data/rules';
import { exportAddress, useStatistics, useTopRules } from '../../data/statistics';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { FilterBar } from '../../features/statistics/filter-bar';
import { HeatMap } from '../../features/statistics/heat-map';
import { HitTable } from '../../features/statistics/hit-table';
import { LiveVisits } from '../../features/statistics/live-visits';
import { NumberCards, QualityNotes } from '../../features/statistics/number-cards';
import { PeriodPicker } from '../../features/statistics/period-picker';
import { RankedCard } from '../../features/statistics/ranked-card';
import { rankedRows } from '../../features/statistics/ranked-rows';
import { TimeChart } from '../../features/statistics/time-chart';
import { useHitFilter } from '../../features/statistics/use-hit-filter';
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

export default function StatisticsPage({ redirect: { id } }: RedirectPageProps) {
  const state = usePeriod();
  const { period, change } = state;
  const { filter, isChosen, toggle, showBots } = useHitFilter(state);
  const statistics = useStatistics(id, period, filter);
  const rules = useTopRules(id, period, filter.conditions).data ?? [];
  const ruleName = useRules(id).data?.find(({ id: rule }) => String(rule) === filter.conditions.ruleId)?.name;
  return (
    <>
      <div class="part-head">
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
      <FilterBar conditions={filter.conditions} ruleName={ruleName} onRemove={toggle} />
      <Loaded query={statistics}>
        {({ data, meta }) => {
          const rows = rankedRows(data);
          return (
            <>
              <QualityNotes meta={meta} />
              <NumberCards summary={data.comparison.summary} />
              <TimeChart series={data.time.timeSeries} isByHour={period.days <= 2} />
              <Card title={words.map.title}>
                <WorldMap locations={data.geo.locations} onChoose={(country) => toggle({ country })} />
              </Card>
              <div class="lists">
                {LISTS.map((list) => (
                  <RankedCard
                    key={list}
                    title={words.lists[list]}
                    rows={rows[list] ?? []}
                    isChosen={isChosen}
                    // The API tells bots from people, not bots from each other.
                    onChoose={list === 'bots' ? showBots : ({ conditions = {} }) => toggle(conditions)}
                  />
                ))}
                <RankedCard
                  title={words.lists.rules}
                  rows={rules}
                  isChosen={isChosen}
                  onChoose={({ conditions = {} }) => toggle(conditions)}
                />
              </div>
            </>
          );
        }}
      </Loaded>
      <HeatMap id={id} period={period} conditions={filter.conditions} />
      <HitTable id={id} period={period} filter={filter} onChange={change} />
    </>
  );
}
