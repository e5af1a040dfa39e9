import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { percentage } from '../ratios.js';
import { LIST_COUNTS, LIST_ORDER, rankedShares, topKey } from './ranked-shares.js';

const fromParam = (param: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `\`${param}\`, or null.` });

export const campaignStats = defineQuestion({
  path: 'stats/campaigns',
  summary: 'Campaigns',
  title: 'CampaignStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    campaigns: Type.Array(
      Type.Object({
        source: fromParam('utm_source'),
        medium: fromParam('utm_medium'),
        campaign: fromParam('utm_campaign'),
        term: fromParam('utm_term'),
        content: fromParam('utm_content'),
        ...LIST_COUNTS,
      }),
      { description: `${LIST_ORDER} Hits without any of these parameters are left out.` },
    ),
    summary: Type.Object({
      totalHits: count('Hits of the period. Excludes bots unless `includeBots`.'),
      campaignHits: count('Hits with a campaign, including rows beyond the end of the list.'),
      totalCampaigns: count('Number of rows, including those beyond the end of the list.'),
      topSource: topKey('The most frequent source over all campaigns.'),
      topMedium: topKey('The most frequent medium.'),
      topCampaign: topKey('The most frequent campaign.'),
      coverage: percent('Percentage of hits with a campaign.'),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const list = await rankedShares(context, {
      rollUp: 'by_campaign',
      keys: KEYS,
      covered: IS_CAMPAIGN,
      others: { source: KEYS.source, medium: KEYS.medium, campaign: KEYS.campaign },
      limit,
    });
    const topOf = (what: keyof typeof list.others) => list.others[what][0]?.name ?? null;
    const campaigns = list.rows.map(({ source, medium, campaign, term, content, ...counts }) => ({
      source: source || null,
      medium: medium || null,
      campaign: campaign || null,
      term: term || null,
      content: content || null,
      ...counts,
    }));
    const { totalRows: totalCampaigns, totalHits: campaignHits, otherHits } = list;
    const totalHits = campaignHits + otherHits;
    const coverage = percentage(campaignHits, totalHits);
    const summary = {
      ...{ totalHits, campaignHits, totalCampaigns },
      topSource: topOf('source'),
      topMedium: topOf('medium'),
      topCampaign: topOf('campaign'),
      coverage,
    };
    return { data: { campaigns, summary }, meta: { limit } };
  },
});

const KEYS = {
  source: 'utm_source',
  medium: 'utm_medium',
  campaign: 'utm_campaign',
  term: 'utm_term',
  content: 'utm_content',
} as const;

const IS_CAMPAIGN = Object.keys(KEYS)
  .map((key) => `${key} != ''`)
  .join(' OR ');
