import { Type } from 'typebox';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { AUDIENCE, defineQuestion, type QueryContext } from '../question.js';
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
    const [list, tops] = await Promise.all([
      rankedShares(context, { rollUp: 'by_campaign', keys: KEYS, covered: IS_CAMPAIGN, limit }),
      readTops(context),
    ]);
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
    const summary = { totalHits, campaignHits, totalCampaigns, ...tops, coverage };
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

interface TopRow {
  readonly list: 'source' | 'medium' | 'campaign';
  readonly name: string;
}

/** The most frequent source, medium and campaign, each by itself, with one statement. */
async function readTops({ source, select }: QueryContext) {
  const { source: utmSource, medium, campaign } = KEYS;
  const hits = source.groups({
    rollUp: 'by_campaign',
    keys: { source: utmSource, medium, campaign },
    measures: ['n'],
    where: AUDIENCE,
  });
  const rows = await select<TopRow>(
    `SELECT list, name FROM (
       SELECT multiIf(grouping(source) = 0, 'source', grouping(medium) = 0, 'medium', 'campaign') AS list,
         multiIf(list = 'source', source, list = 'medium', medium, campaign) AS name, sum(n) AS hits
       FROM (${hits}) GROUP BY GROUPING SETS ((source), (medium), (campaign))
     ) WHERE name != '' ORDER BY list, hits DESC, name LIMIT 1 BY list`,
  );
  const topOf = (wanted: TopRow['list']) => rows.find(({ list }) => list === wanted)?.name ?? null;
  return { topSource: topOf('source'), topMedium: topOf('medium'), topCampaign: topOf('campaign') };
}
