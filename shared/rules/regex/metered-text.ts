import { type TextSearch, textSearch } from '../text-search.js';

/** Thrown to cancel a search. */
export const BROKEN_OFF = new Error('the search was broken off');

/**
 * One step of the slowest search takes about 0.1 ms, so a cancelled search continues for about this many times that.
 */
const READS_PER_QUESTION = 16;

/**
 * A text that throws `BROKEN_OFF` when it is read after `isOver` returned true. The engine accepts `String` objects
 * and reads them character by character, so this is the only place where a search can be cancelled.
 */
export class MeteredText extends String {
  private readsLeft = READS_PER_QUESTION;
  private searched: string | undefined;
  private placeOfSearched: TextSearch | undefined;

  constructor(
    private readonly text: string,
    private readonly isOver: () => boolean,
  ) {
    super(text);
  }

  override charCodeAt(index: number): number {
    this.readsLeft -= 1;
    if (this.readsLeft === 0) {
      this.readsLeft = READS_PER_QUESTION;
      if (this.isOver()) throw BROKEN_OFF;
    }
    return this.text.charCodeAt(index);
  }

  /** The engine searches for few texts, mostly for the literal beginning of the pattern. */
  override indexOf(searched: string, from = 0): number {
    if (this.placeOfSearched === undefined || this.searched !== searched) {
      this.searched = searched;
      this.placeOfSearched = textSearch(searched);
    }
    return this.placeOfSearched(this.text, from);
  }
}
