import { texts } from '../../texts/texts';

const { experiments: words } = texts;
/** Places of the numbers below the axis, in percent of its width. */
const TICKS = [0, 25, 50, 75, 100];
/** Free space beside the longest interval, as a share of the axis. */
const MARGIN = 0.06;

export interface PlottedInterval {
  readonly name: string;
  /** What screen readers read. */
  readonly text: string;
  readonly point: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Intervals on a common axis, each with its point. Values are shares.
 *
 * @param hasZero draws the line of “no difference”
 */
export function IntervalPlot({
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

/** The axis begins at 0 where no value is negative. */
function axisOf(intervals: readonly PlottedInterval[], hasZero: boolean): readonly [number, number] {
  const low = Math.min(0, ...intervals.map((interval) => interval.low));
  const high = Math.max(hasZero ? 0 : low, ...intervals.map((interval) => interval.high));
  const margin = Math.max(high - low, 0.001) * MARGIN;
  return [low < 0 ? low - margin : 0, high + margin];
}
