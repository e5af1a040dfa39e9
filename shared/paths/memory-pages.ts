import type { PathPages } from './path-matcher.js';
import type { PathPage } from './path-page.js';

/** Keeps the pages of one table, for tests of it and for the API. */
export function memoryPages(pages: readonly PathPage[]): PathPages {
  const buffers = pages.map((page) => Buffer.from(page, 'latin1'));
  let bytes = Buffer.alloc(0);
  return {
    get bytes() {
      return bytes;
    },
    start: 0,
    open(page) {
      const found = buffers[page];
      if (found === undefined || found.length === 0) return false;
      bytes = found;
      return true;
    },
  };
}
