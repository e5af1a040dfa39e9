import type { PathPages } from './path-matcher.js';
import type { PathPage } from './path-page.js';

/** Keeps the pages of one table in memory, for test requests and for the API. */
export function memoryPages(pages: readonly PathPage[]): PathPages {
  return bufferPages(pages.map((page) => Buffer.from(page, 'latin1')));
}

/** Provides the pages of one table from buffers. Pages that do not exist are empty. */
export function bufferPages(pages: readonly Buffer[]): PathPages {
  let bytes: Buffer = Buffer.alloc(0);
  return {
    get bytes() {
      return bytes;
    },
    start: 0,
    open(page) {
      const found = pages[page];
      if (found === undefined || found.length === 0) return false;
      bytes = found;
      return true;
    },
  };
}
