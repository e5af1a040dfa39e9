import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export interface VirtualRowsOptions {
  readonly scroller: RefObject<HTMLElement>;
  readonly count: number;
  /** Height of every row. With equal heights, positions are computed and not measured. */
  readonly rowHeightPx: number;
}

export interface VirtualRow {
  readonly index: number;
  readonly startPx: number;
}

/** Extra rows above and below the view. They avoid gaps during quick scrolling. */
const OVERSCAN = 12;

/** Returns the rows of a long list that are in view. Only these are rendered. */
export function useVirtualRows({ scroller, count, rowHeightPx }: VirtualRowsOptions) {
  const [view, setView] = useState({ first: 0, last: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const look = () => {
      const first = Math.floor(element.scrollTop / rowHeightPx);
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeightPx);
      setView((former) => (former.first === first && former.last === last ? former : { first, last }));
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [rowHeightPx]);
  const from = Math.max(0, Math.min(view.first, count - 1) - OVERSCAN);
  const to = Math.min(count, view.last + OVERSCAN);
  const rows: readonly VirtualRow[] = Array.from({ length: Math.max(0, to - from) }, (_, offset) => ({
    index: from + offset,
    startPx: (from + offset) * rowHeightPx,
  }));
  return { rows, totalPx: count * rowHeightPx };
}
