import { type TextSearch, textSearch } from '../text-search.js';

/** Thrown out of a search that is over. */
export const BROKEN_OFF = new Error('the search was broken off');

/** One step of the slowest search takes some 0.1 ms, so a search can go on for about this many times that. */
const READS_PER_QUESTION = 16;

/**
 * A text that throws `BROKEN_OFF` when it is read although `isOver`. The engine takes `String` objects for texts and
 * reads them character by character, which makes this the one place where its work can be stopped.
 */
export class MeteredText extends String {
  private readonly text: string;
  private readonly isOver: () => boolean;
  private readsLeft = READS_PER_QUESTION;
  private searched: string | undefined;
  private placeOfSearched: TextSearch | undefined;

  constructor(text: string, isOver: () => boolean) {
    super(text);
    this.text = text;
    this.isOver = isOver;
  }

  override charCodeAt(index: number): number {
    this.readsLeft -= 1;
    if (this.readsLeft === 0) {
      this.readsLeft = READS_PER_QUESTION;
      if (this.isOver()) throw BROKEN_OFF;
    }
    return this.text.charCodeAt(index);
  }

  /** The engine looks for few texts, mostly for one again and again: the beginning of all that could match. */
  override indexOf(searched: string, from = 0): number {
    if (this.placeOfSearched === undefined || this.searched !== searched) {
      this.searched = searched;
      this.placeOfSearched = textSearch(searched);
    }
    return this.placeOfSearched(this.text, from);
  }
}
