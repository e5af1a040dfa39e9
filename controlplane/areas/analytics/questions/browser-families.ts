import { Type } from 'typebox';
import { count, LimitSchema } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { readFamilies, UNKNOWN } from './client-families.js';
import { LIST_COUNTS, LIST_ORDER, topKey } from './ranked-shares.js';

export const browserFamilyStats = defineQuestion({
  path: 'stats/browser-families',
  summary: 'Browsers, without versions',
  title: 'BrowserFamilyStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    browserFamilies: Type.Array(
      Type.Object({
        browser: Type.String({ description: `Name, or \`${UNKNOWN}\`.` }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalBrowserFamilies: count('Number of rows, including those beyond the end of the list.'),
      topBrowser: topKey('The most frequent known value.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { families, top } = await readFamilies(context, 'browser_name');
    const browserFamilies = families
      .slice(0, limit)
      .map(({ name: browser, ...counts }) => ({ browser, ...counts }));
    const summary = { totalBrowserFamilies: families.length, topBrowser: top };
    return { data: { browserFamilies, summary }, meta: { limit } };
  },
});
