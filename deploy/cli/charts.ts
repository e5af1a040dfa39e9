const LEVELS = '▁▂▃▄▅▆▇█';
const BAR_WIDTH = 20;

/** Draws values as a line of blocks. The highest value has the highest block; more values than `width` are added up. */
export function sparkline(values: readonly number[], width = 60): string {
  const size = Math.max(1, Math.ceil(values.length / width));
  const sums: number[] = [];
  for (let start = 0; start < values.length; start += size) {
    sums.push(values.slice(start, start + size).reduce((sum, value) => sum + value, 0));
  }
  const highest = Math.max(1, ...sums);
  const level = (value: number) => (value === 0 ? 0 : Math.ceil((value / highest) * (LEVELS.length - 1)));
  return sums.map((value) => LEVELS[level(value)]).join('');
}

/** Draws a share of 100 percent as a bar. */
export function bar(percentage: number, width = BAR_WIDTH): string {
  const filled = Math.round((Math.min(100, Math.max(0, percentage)) / 100) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/** Writes a whole number with separators: 12,345. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a number with its noun: `1 hit`, `1,000 hits`. */
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
