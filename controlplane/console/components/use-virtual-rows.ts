import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

export interface VirtualRowsOptions {
  readonly scroller: RefObject<HTMLElement>;
  readonly count: number;
  readonly rowHeightPx: number;
}

const OVERSCAN = 12;

/** Finds the rows of a long list that are in view. Only these become elements. */
export function useVirtualRows({ scroller, count, rowHeightPx }: VirtualRowsOptions) {
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeightPx]);
  return { rows: virtualizer.getVirtualItems(), totalPx: virtualizer.getTotalSize() };
}
