/** Text that `search` reads, in lower case. The trigram index has the same expression. */
export const SEARCHED_TEXT =
  "lower(from_domain || E'\\n' || to_domain || E'\\n' || note || E'\\n' || coalesce(external_id, ''))";

/** A word of a searched text that is long enough for a trigram. */
export interface SearchedWord {
  readonly word: string;
  /** The word with the characters and short words beside it. They add trigrams. */
  readonly part: string;
}

const SHORT_BEFORE = '(?<=(?<before>(?:(?<![\\p{L}\\p{N}])[\\p{L}\\p{N}]{1,2})?[^\\p{L}\\p{N}]?))';
const SHORT_AFTER = '(?=(?<after>[^\\p{L}\\p{N}]?(?:[\\p{L}\\p{N}]{1,2}(?![\\p{L}\\p{N}]))?))';
const WORDS = new RegExp(`${SHORT_BEFORE}(?<word>[\\p{L}\\p{N}]{3,})${SHORT_AFTER}`, 'gu');
const MAX_WORDS = 5;
/** Maximum share of redirects with a word that is looked up in the index. The index reads all these redirects. */
const MAX_SHARE = 0.08;

/** Returns the words of a searched text that have trigrams. */
export function wordsOf(search = ''): readonly SearchedWord[] {
  const words = Array.from(search.matchAll(WORDS), ([word, before = '', , after = '']) => ({
    word,
    part: before + word + after,
  }));
  return words.slice(0, MAX_WORDS);
}

/**
 * Returns the words to look up in the index; none if all are frequent. Texts with many trigrams are slow, because the
 * index reads each frequent trigram for each redirect that has the rare ones.
 *
 * @param counts number of redirects that have each word, of `read` ones
 */
export function selectiveWords(
  words: readonly SearchedWord[],
  counts: readonly number[],
  read: number,
): readonly SearchedWord[] {
  return words.filter((_, at) => (counts[at] ?? read) <= MAX_SHARE * read);
}

/** Returns a LIKE pattern for texts that have `text` somewhere. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
