import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { Loaded, Note } from '../../components/messages';
import { Select } from '../../components/select';
import { useRules } from '../../data/rules';
import {
  exportAddress,
  type HitConditions,
  type Statistics,
  useStatistics,
  useTopRules,
} from '../../data/statistics';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { useHitFilter, usePeriod } from '../../features/statistics/address-state';
import { HeatMap } from '../../features/statistics/heat-map';
import { HitTable } from '../../features/statistics/hit-table';
import { LiveVisits } from '../../features/statistics/live-visits';
import { RankedCard } from '../../features/statistics/ranked-card';
import { countryName, rankedRows } from '../../features/statistics/ranked-rows';
import { TimeChart } from '../../features/statistics/time-chart';
import { lazyPage } from '../../routing/lazy-page';
import { texts } from '../../texts/texts';

const { statistics: words } = texts;
const { filters: filterWords, period: periodWords } = words;
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
                    // The API can filter by all bots, but not by one bot.
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

/** Describes the visits that the numbers do not include: not sampled, lost, or not recorded. */
function QualityNotes({ meta }: { readonly meta: Statistics['meta'] }) {
  const { sampling, delivery, recording } = meta;
  const paused = recording.active ? undefined : words.notes.paused[recording.reason ?? ''];
  return (
    <>
      {paused && <Note icon="alert">{paused}</Note>}
      {sampling.rate > 0 && sampling.rate < 1 && (
        <Note icon="alert">
          {words.notes.sampled(sampling.rate)}{' '}
          {words.notes.estimated(texts.shell.number(sampling.estimatedTotalHits))}
        </Note>
      )}
      {delivery.lost > 0 && <Note icon="alert">{words.notes.lost(texts.shell.number(delivery.lost))}</Note>}
    </>
  );
}

/** Shows the main numbers, each with its change from the previous period. */
function NumberCards({ summary }: { readonly summary: Statistics['data']['comparison']['summary'] }) {
  const names = Object.keys(words.numbers) as (keyof typeof words.numbers)[];
  return (
    <section aria-label={words.title}>
      <dl class="numbers">
        {names.map((name) => (
          <div key={name} class="number-card">
            <dt>{words.numbers[name]}</dt>
            <dd>
              <strong>{texts.shell.number(summary.current[name])}</strong>
              <Change percent={summary.change[name]} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{words.comparedTo}</p>
    </section>
  );
}

function Change({ percent }: { readonly percent: number | null }) {
  if (percent === null) return <span class="quiet">{words.noChange}</span>;
  const tone = percent === 0 ? 'quiet' : percent > 0 ? 'change-up' : 'change-down';
  return <span class={tone}>{words.change(percent)}</span>;
}

/** Shows the conditions that filter all statistics of the page. */
function FilterBar({
  conditions,
  ruleName,
  onRemove,
}: {
  readonly conditions: HitConditions;
  /** Name of the rule in the filter. */
  readonly ruleName: string | undefined;
  readonly onRemove: (conditions: HitConditions) => void;
}) {
  const set = Object.entries(conditions) as [keyof HitConditions, string][];
  if (set.length === 0) return null;
  const valueText = (name: keyof HitConditions, value: string) => {
    if (name === 'country') return countryName(value);
    return name === 'ruleId' ? (ruleName ?? value) : value || filterWords.none;
  };
  return (
    <section class="button-row" aria-label={filterWords.label}>
      {set.map(([name, value]) => {
        const text = filterWords.text(filterWords.names[name], valueText(name, value));
        return (
          <Button
            key={name}
            small
            icon="close"
            aria-label={filterWords.clear(text)}
            onClick={() => onRemove({ [name]: value })}
          >
            <span class="filter-text">{text}</span>
          </Button>
        );
      })}
      {set.length > 1 && (
        <Button small look="quiet" onClick={() => onRemove(conditions)}>
          {filterWords.clearAll}
        </Button>
      )}
    </section>
  );
}

/** Chooses the period: a number of days, or any two dates. */
function PeriodPicker({ state }: { readonly state: ReturnType<typeof usePeriod> }) {
  const { period, name, choose, change } = state;
  return (
    <div class="period">
      <Select aria-label={periodWords.label} value={name} options={periodWords.names} onChoose={choose} />
      {name === 'custom' && (
        <>
          <input
            class="input"
            type="date"
            aria-label={periodWords.from}
            value={period.start}
            max={period.end}
            onChange={({ currentTarget }) =>
              currentTarget.value && change({ from: currentTarget.value, page: null })
            }
          />
          <input
            class="input"
            type="date"
            aria-label={periodWords.to}
            value={period.end}
            min={period.start}
            onChange={({ currentTarget }) =>
              currentTarget.value && change({ to: currentTarget.value, page: null })
            }
          />
        </>
      )}
    </div>
  );
}
