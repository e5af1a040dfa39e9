import type { Schemas } from '@waymark/client';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { Meter } from '../../components/meter';
import { Table } from '../../components/table';
import { dateText, timeText } from '../../components/times';
import type { ExperimentNumbers } from '../../data/experiments';
import { texts } from '../../texts/texts';
import { VariantTable } from './variant-table';

const { experiments: words } = texts;
const NOT_ENOUGH = 'not enough data yet';

/** Shows the result in words, and the progress of the experiment. */
export function VerdictCard({ numbers }: { readonly numbers: ExperimentNumbers }) {
  const { verdict, explanation, visitors, neededVisitors, sampleRatio } = numbers;
  if (!sampleRatio.ok) {
    return (
      <section class="stack-small" aria-live="polite">
        <ErrorNote error={words.verdicts.mismatch} />
        <Card title={words.verdicts.causes}>
          <ul class="bullets">
            {words.verdicts.causeList.map((cause) => (
              <li key={cause}>{cause}</li>
            ))}
          </ul>
          <p class="quiet">{explanation}</p>
        </Card>
      </section>
    );
  }
  const isOpen = verdict === NOT_ENOUGH;
  return (
    <section class={isOpen ? 'verdict' : 'verdict verdict-found'} aria-live="polite">
      <h2>{isOpen ? words.verdicts.notEnough : capitalized(verdict)}</h2>
      <p>{explanation}</p>
      {isOpen && neededVisitors !== null && (
        <Meter label={words.progress} used={visitors} limit={neededVisitors} />
      )}
    </section>
  );
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Draws rates and differences with their intervals. */
export function IntervalCards({ numbers }: { readonly numbers: ExperimentNumbers }) {
  const { variants, baseline } = numbers;
  const differences = variants.flatMap(({ name, difference, differenceInterval }) =>
    difference === null || differenceInterval === null
      ? []
      : [
          {
            name,
            text: words.lifts.text(name, difference, ...differenceInterval),
            point: difference,
            low: differenceInterval[0],
            high: differenceInterval[1],
          },
        ],
  );
  return (
    <div class="columns columns-even">
      <Card title={words.rates.title} lead={words.rates.lead}>
        <IntervalPlot
          label={words.rates.title}
          format={(share) => words.percent(share)}
          intervals={variants.map(({ name, rate, interval: [low, high] }) => ({
            name,
            text: words.rates.text(name, rate, low, high),
            point: rate,
            low,
            high,
          }))}
        />
      </Card>
      <Card title={words.lifts.title(baseline)} lead={words.lifts.lead}>
        {differences.length === 0 ? (
          <p class="quiet">{words.lifts.unknown}</p>
        ) : (
          <IntervalPlot
            label={words.lifts.title(baseline)}
            hasZero
            format={words.signed}
            intervals={differences}
          />
        )}
      </Card>
    </div>
  );
}

/** Shows the results of each part of the period, if the experiment changed within it. */
export function SegmentsCard({ segments }: { readonly segments: Schemas.ExperimentResults['segments'] }) {
  if (segments.length < 2) return null;
  return (
    <Card title={words.segments.title} lead={words.segments.lead}>
      {segments.map((segment) => {
        const period = words.segments.period(timeText(segment.start), timeText(segment.end));
        return (
          <section key={segment.start} class="stack-small">
            <h3>{period}</h3>
            <p class="quiet">{segment.verdict}</p>
            <VariantTable label={period} numbers={segment} />
          </section>
        );
      })}
    </Card>
  );
}

/** Shows the limits of the numbers: excluded visitors, and questions that the numbers cannot answer. */
export function FactsCard({ results }: { readonly results: Schemas.ExperimentResults }) {
  const { meta, mixed, pValue, sampleRatio, bots } = results;
  const facts = [
    words.facts.pValue(pText(pValue)),
    ...(sampleRatio.ok ? [words.facts.ratioOk(pText(sampleRatio.pValue))] : []),
    ...(mixed > 0 ? [words.facts.mixed(mixed)] : []),
    ...(meta.unassigned > 0 ? [words.facts.unassigned(meta.unassigned)] : []),
    ...(meta.sampling.note === null ? [] : [meta.sampling.note]),
  ];
  return (
    <Card title={words.segments.period(dateText(meta.period.start), dateText(meta.period.end))}>
      <ul class="bullets">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <h3>{words.bots.title}</h3>
      {bots.every(({ hits }) => hits === 0) ? (
        <p class="quiet">{words.bots.none}</p>
      ) : (
        <>
          <p class="quiet">{words.bots[meta.bots]}</p>
          <Table
            label={words.bots.title}
            rows={bots}
            keyOf={({ variant }) => variant}
            columns={[
              { text: words.columns.variant, cell: ({ variant }) => variant },
              { text: words.bots.hits, class: 'number', cell: ({ hits }) => hits },
            ]}
          />
        </>
      )}
    </Card>
  );
}

const pText = (value: number) => (value < 0.0001 ? '< 0.0001' : String(Number(value.toPrecision(2))));

/** Positions of the numbers below the axis, in percent of its width. */
const TICKS = [0, 25, 50, 75, 100];
/** Free space beside the longest interval, as a share of the axis. */
const MARGIN = 0.06;

interface PlottedInterval {
  readonly name: string;
  /** Text for screen readers. */
  readonly text: string;
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Draws intervals and their point estimates on a common axis. Values are shares.
 *
 * @param hasZero draws the line for “no difference”
 */
function IntervalPlot({
  label,
  intervals,
  hasZero = false,
  format,
}: {
  readonly label: string;
  readonly intervals: readonly PlottedInterval[];
  readonly hasZero?: boolean;
  readonly format: (share: number) => string;
}) {
  const [from, to] = axisOf(intervals, hasZero);
  const at = (value: number) => (100 * (value - from)) / (to - from);
  return (
    <div class="intervals">
      <ul aria-label={label}>
        {intervals.map(({ name, text, point, low, high }) => (
          <li key={name}>
            <span class="interval-name" aria-hidden="true">
              {name}
            </span>
            <span class="visually-hidden">{text}</span>
            <span class="interval-axis" aria-hidden="true" title={text}>
              {hasZero && <span class="interval-zero" style={{ left: `${at(0)}%` }} />}
              <span class="interval-bar" style={{ left: `${at(low)}%`, width: `${at(high) - at(low)}%` }} />
              <span class="interval-point" style={{ left: `${at(point)}%` }} />
            </span>
            <span class="interval-value" aria-hidden="true">
              {format(point)}
            </span>
          </li>
        ))}
      </ul>
      <div class="interval-ticks" aria-hidden="true">
        {TICKS.map((tick) => (
          <span key={tick} style={{ left: `${tick}%` }}>
            {words.percent(from + ((to - from) * tick) / 100, 1)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Returns the range of the axis. It begins at 0 if no value is negative. */
function axisOf(intervals: readonly PlottedInterval[], hasZero: boolean): readonly [number, number] {
  const low = Math.min(0, ...intervals.map((interval) => interval.low));
  const high = Math.max(hasZero ? 0 : low, ...intervals.map((interval) => interval.high));
  const margin = Math.max(high - low, 0.001) * MARGIN;
  return [low < 0 ? low - margin : 0, high + margin];
}
