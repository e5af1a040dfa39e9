import { Type } from 'typebox';
import { count, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { readFamilies, UNKNOWN } from './client-families.js';
import { LIST_COUNTS, LIST_ORDER, topKey } from './ranked-shares.js';

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
