import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { percentage } from '../ratios.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

export const languageStats = defineQuestion({
  path: 'stats/languages',
  summary: 'Languages',
  title: 'LanguageStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    languages: Type.Array(
      Type.Object({
        language: Type.String({ description: 'Language tag (BCP 47), such as `de` or `en-US`.' }),
        name: Type.String({ description: 'English name, or the tag if it has no name.' }),
        ...LIST_COUNTS,
      }),
      { description: `${LIST_ORDER} Hits without a language are left out.` },
    ),
    summary: Type.Object({
      totalLanguages: count('Number of languages, including those beyond the end of the list.'),
      topLanguage: topKey('The first row of the list.'),
      coverage: percent('Percentage of hits with a known language.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { rows, totalRows, totalHits, otherHits } = await rankedShares(context, {
      rollUp: 'by_language',
      keys: { language: 'language' },
      covered: "language != ''",
      limit,
    });
    const languages = rows.map((row) => ({ ...row, name: languageName(row.language) }));
    const summary = {
      totalLanguages: totalRows,
      topLanguage: rows[0]?.language ?? null,
      coverage: percentage(totalHits, totalHits + otherHits),
    };
    return { data: { languages, summary }, meta: { limit } };
  },
});

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });
/** Private and undetermined tags, which `Intl` names after the root of all languages: `root`. */
const NO_LANGUAGE = /^(x|und|root)(-|$)/i;

/** Visitors send any text. `Intl` throws at some texts that look like a tag. */
function languageName(tag: string): string {
  if (NO_LANGUAGE.test(tag)) return tag;
  try {
    return NAMES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
