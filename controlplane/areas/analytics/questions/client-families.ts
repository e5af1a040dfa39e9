import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { UNKNOWN } from '../hit-filters.js';
import { defineQuestion, type QueryContext } from '../question.js';
import { byHits, orUnknown, sumOfHits, withShares } from './list-rows.js';
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

export const deviceCategoryStats = defineQuestion({
  path: 'stats/device-categories',
  summary: 'Kinds of devices',
  title: 'DeviceCategoryStats',
  query: {},
  data: Type.Object({
    deviceCategories: Type.Array(
      Type.Object({
        device: Type.String({
          description: `\`mobile\`, \`tablet\`, \`desktop\`, \`${UNKNOWN}\` or a rarer type.`,
        }),
        ...LIST_COUNTS,
      }),
      { description: LIST_ORDER },
    ),
    summary: Type.Object({
      totalDeviceCategories: count('Number of rows.'),
      topDevice: topKey('The most frequent known type.'),
      mobilePercentage: percent('Percentage of mobile phones, without tablets.'),
      tabletPercentage: percent('Percentage of tablets.'),
      desktopPercentage: percent('Percentage of desktop computers.'),
    }),
  }),
  meta: {},
  async ask(context) {
    const { families, top } = await readFamilies(context, 'device_type');
    const shareOf = (wanted: string) => families.find(({ name }) => name === wanted)?.percentage ?? 0;
    const summary = {
      totalDeviceCategories: families.length,
      topDevice: top,
      mobilePercentage: shareOf('mobile'),
      tabletPercentage: shareOf('tablet'),
      desktopPercentage: shareOf('desktop'),
    };
    const deviceCategories = families.map(({ name: device, ...counts }) => ({ device, ...counts }));
    return { data: { deviceCategories, summary }, meta: {} };
  },
});

/** Software of visitors, sorted by hits, then by name. The name is `UNKNOWN` if the user agent does not contain it. */
async function readFamilies(context: QueryContext, column: 'device_type' | 'browser_name') {
  const keys = { name: orUnknown(column) };
  const rows = await context.countHits({ rollUp: 'by_client', keys, of: 'audience', withVisitors: true });
  const families = byHits(rows, ({ name }) => name);
  return {
    families: withShares(families, sumOfHits(families)),
    /** Returns the first known one. */
    top: families.find(({ name }) => name !== UNKNOWN)?.name ?? null,
  };
}
