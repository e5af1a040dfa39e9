import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { type HitConditions, type StatisticsPeriod, type TimeBucket, useHours } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { heat: words } = texts.statistics;
const MAX_DAYS = 31;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Number of color steps. Step 0 is an hour without visits. */
const STEPS = 4;

/** Shows the visits of people by hour and weekday. */
export function HeatMap({
  id,
  period,
  conditions,
}: {
  readonly id: string;
  readonly period: StatisticsPeriod;
  readonly conditions: HitConditions;
}) {
  const isShort = period.days <= MAX_DAYS;
  const hours = useHours(id, period, conditions, isShort);
  return (
    <Card title={words.title} lead={words.lead}>
      {isShort ? (
        <Loaded query={hours}>{({ data }) => <Cells series={data.timeSeries} />}</Loaded>
      ) : (
        <p class="quiet">{words.tooLong}</p>
      )}
    </Card>
  );
}

function Cells({ series }: { readonly series: readonly TimeBucket[] }) {
  const counts = countsOf(series);
  const top = Math.max(1, ...counts.flat());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
    <div class="table-scroll" tabIndex={0} role="region" aria-label={words.title}>
      <table class="heat">
        <thead>
          <tr>
            <td />
            {HOURS.map((hour) => (
              <th key={hour} scope="col">
                {hour % 3 === 0 ? hour : <span class="visually-hidden">{hour}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {words.days.map((day, index) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {HOURS.map((hour) => {
                const count = counts[index]?.[hour] ?? 0;
                const label = words.cell(day, hour, count);
                return (
                  <td key={hour} class={`heat-${stepOf(count, top)}`} title={label}>
                    <span class="visually-hidden">{count}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function stepOf(count: number, top: number): number {
  return count === 0 ? 0 : Math.max(1, Math.ceil((count / top) * STEPS));
}

/** Returns the sums by weekday and hour, in the time zone of the browser. */
function countsOf(series: readonly TimeBucket[]): number[][] {
  const counts = Array.from({ length: 7 }, () => HOURS.map(() => 0));
  for (const { timestamp, humanHits } of series) {
    const time = new Date(timestamp);
    const day = counts[time.getDay()];
    if (day) day[time.getHours()] = (day[time.getHours()] ?? 0) + humanHits;
  }
  return counts;
}
