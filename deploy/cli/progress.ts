import { bar, grouped } from './charts.js';
import type { Terminal } from './terminal.js';

export interface Progress {
  /** Shows the progress. `total` is undefined while it is unknown. */
  show(done: number, total: number | undefined, rest?: string): void;
  /** Removes the line. */
  end(): void;
}

/** Creates a line on stderr that shows progress. Without a terminal it shows nothing. */
export function createProgress({ streams: { stderr } }: Terminal, label: string): Progress {
  if (stderr.isTTY !== true) return { show: () => undefined, end: () => undefined };
  const clear = '\r\x1b[K';
  return {
    show(done, total, rest = '') {
      const percentage = total === undefined || total === 0 ? undefined : (done / total) * 100;
      const figures =
        percentage === undefined
          ? grouped(done)
          : `${bar(percentage)} ${Math.floor(percentage)} %  ${grouped(done)} of ${grouped(total ?? 0)}`;
      stderr.write(
        `${clear}${label} ${figures} ${rest}`.slice(0, (stderr.columns ?? 100) + clear.length - 1),
      );
    },
    end: () => void stderr.write(clear),
  };
}
