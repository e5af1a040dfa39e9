import { useState } from 'preact/hooks';
import { Card } from '../../components/layout';
import { Table } from '../../components/table';
import type { TimeBucket } from '../../data/statistics';
import { texts } from '../../texts/texts';

const { chart: words } = texts.statistics;
const WIDTH = 1_000;
const HEIGHT = 220;
/** Positions of the horizontal lines, as shares of the chart's height. */
const AXIS = [1, 0.75, 0.5, 0.25, 0];

/** Shows the visits of people and bots as stacked bars. A table has the same values. */
export function TimeChart({
  series,
  isByHour,
}: {
  readonly series: readonly TimeBucket[];
  readonly isByHour: boolean;
}) {
  const [shown, setShown] = useState<number>();
  const top = niceTop(Math.max(1, ...series.map(({ hits }) => hits)));
  const step = WIDTH / Math.max(1, series.length);
  const total = series.reduce((sum, { hits }) => sum + hits, 0);
  const peak = Math.max(0, ...series.map(({ hits }) => hits));
  const bucket = shown === undefined ? undefined : series[shown];
  const format = labelOf(isByHour);

  function move(by: number) {
    const from = shown ?? (by > 0 ? -1 : series.length);
    setShown(Math.min(series.length - 1, Math.max(0, from + by)));
  }

  return (
    <Card
      title={words.title}
      actions={
        <p class="legend-line">
          <span class="swatch swatch-people" /> {words.people}
          <span class="swatch swatch-bots" /> {words.bots}
        </p>
      }
    >
      <div class="chart">
        <div class="chart-axis" aria-hidden="true">
          {AXIS.map((share) => (
            <span key={share}>{texts.shell.number(top * share)}</span>
          ))}
        </div>
        <div
          class="chart-plot"
          role="img"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read single values
          tabIndex={0}
          aria-label={`${words.summary(texts.shell.number(total), texts.shell.number(peak))} ${words.stepHint}`}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') move(1);
            else if (event.key === 'ArrowLeft') move(-1);
            else return;
            event.preventDefault();
          }}
          onPointerMove={({ currentTarget, clientX }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            setShown(
              Math.min(
                series.length - 1,
                Math.max(0, Math.floor(((clientX - left) / width) * series.length)),
              ),
            );
          }}
          onPointerLeave={() => setShown(undefined)}
          onBlur={() => setShown(undefined)}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {AXIS.map((share) => (
              <line key={share} x1="0" x2={WIDTH} y1={HEIGHT * (1 - share)} y2={HEIGHT * (1 - share)} />
            ))}
            {series.map(({ timestamp, humanHits, botHits }, index) => {
              const people = (humanHits / top) * HEIGHT;
              const bots = (botHits / top) * HEIGHT;
              const gap = Math.min(2, step * 0.15);
              return (
                <g key={timestamp} class={index === shown ? 'bar-shown' : undefined}>
                  <rect class="bar-hover" x={index * step} width={step} y="0" height={HEIGHT} />
                  <rect
                    class="bar-bots"
                    x={index * step + gap}
                    width={step - 2 * gap}
                    y={HEIGHT - people - bots}
                    height={bots}
                  />
                  <rect
                    class="bar-people"
                    x={index * step + gap}
                    width={step - 2 * gap}
                    y={HEIGHT - people}
                    height={people}
                  />
                </g>
              );
            })}
          </svg>
        </div>
        <div class="chart-labels" aria-hidden="true">
          {labelPlaces(series.length).map((index) => (
            <span key={index}>{format(series[index]?.timestamp)}</span>
          ))}
        </div>
      </div>
      <p class="chart-value" aria-live="polite">
        {bucket === undefined ? (
          <span class="quiet">{words.summary(texts.shell.number(total), texts.shell.number(peak))}</span>
        ) : (
          <>
            <strong>{format(bucket.timestamp)}</strong> {words.people} {texts.shell.number(bucket.humanHits)},{' '}
            {words.bots} {texts.shell.number(bucket.botHits)}
          </>
        )}
      </p>
      <details>
        <summary>{words.table}</summary>
        <Table
          label={words.title}
          rows={series}
          keyOf={({ timestamp }) => timestamp}
          columns={[
            { text: words.time, cell: ({ timestamp }) => format(timestamp) },
            { text: words.people, class: 'number', cell: ({ humanHits }) => humanHits },
            { text: words.bots, class: 'number', cell: ({ botHits }) => botHits },
          ]}
        />
      </details>
    </Card>
  );
}

/** Rounds up to 1, 2, 4, 8 or 10 times a power of ten. Four lines divide these into round values. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(4, step * power);
}

function labelOf(isByHour: boolean): (timestamp: string | undefined) => string {
  const format = new Intl.DateTimeFormat(
    'en-US',
    isByHour ? { weekday: 'short', hour: 'numeric' } : { month: 'short', day: 'numeric' },
  );
  return (timestamp) => (timestamp === undefined ? '' : format.format(new Date(timestamp)));
}

/** Returns the indexes of at most five labels: the first, the last, and some between. */
function labelPlaces(count: number): readonly number[] {
  const labels = Math.min(5, count);
  if (labels <= 1) return count === 0 ? [] : [0];
  return Array.from({ length: labels }, (_, index) => Math.round((index * (count - 1)) / (labels - 1)));
}
