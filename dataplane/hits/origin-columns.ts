import type { RecordedTexts } from '../../shared/hits/recorded-texts.js';
import { createIndexColumn } from '../../shared/native/columns.js';
import { writeTexts } from '../../shared/native/native-block.js';
import { TextList } from '../../shared/native/text-dictionary.js';
import { type CampaignQuery, campaignIn, campaignPart } from '../../shared/visitor/campaign-query.js';
import { createReferrerType } from '../../shared/visitor/referrer-type.js';
import { type ColumnWriters, DerivedColumns } from './batch-columns.js';
import { BatchSubjects } from './batch-subjects.js';
import type { HitSlot } from './hit-slot.js';
import { known } from './storable-text.js';

export interface OriginColumnsDeps {
  readonly referrerDomainOf: (referrer: string) => string | undefined;
}

type CampaignColumn = (typeof CAMPAIGN_COLUMNS)[number];

type ReferrerFacts = Readonly<Record<(typeof REFERRER_COLUMNS)[number], string>>;

const CAMPAIGN_COLUMNS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'query_names',
] as const;
const REFERRER_COLUMNS = ['referrer_domain', 'referrer_type'] as const;

/**
 * The origin of a visit: its query with the campaign, and its referrer with the referrer's type.
 *
 * @param recorded part of query and referrer that is recorded; all other columns derive from it
 */
export function createOriginColumns({ referrerDomainOf }: OriginColumnsDeps, recorded: RecordedTexts) {
  const referrerTypeOf = createReferrerType();
  const queries = new TextList();
  const campaignTexts = new DerivedColumns(CAMPAIGN_COLUMNS);
  const campaigns = new BatchSubjects(campaignIn, ({ facts }) => campaignTexts.add(campaignColumns(facts)));
  const campaignRows = createIndexColumn();
  const referrerTexts = new TextList();
  const referrerRows = createIndexColumn();
  const referrerFacts = new DerivedColumns(REFERRER_COLUMNS);
  const referrers = new BatchSubjects<ReferrerFacts>(
    (referrer) => {
      const domain = known(referrerDomainOf(referrer));
      return { referrer_domain: domain, referrer_type: referrerTypeOf(referrer, domain) };
    },
    ({ text, facts }) => {
      referrerTexts.add(text);
      referrerFacts.add(facts);
    },
  );

  return {
    /** Adds a row. */
    add(slot: HitSlot) {
      const { queryRecording } = slot;
      const query = recorded.query(slot.query, queryRecording);
      const campaign = campaigns.of(campaignPart(recorded.campaignQuery(query, queryRecording)));
      queries.add(query);
      campaignRows.push(campaigns.numberOf(campaign));
      const referrer = referrers.of(recorded.url(slot.referrer, queryRecording));
      referrerRows.push(referrers.numberOf(referrer));
    },
    writers: {
      query: (writer) => writer.bytes(queries.bytes),
      referrer: (writer) => writeTexts(writer, referrerTexts, referrerRows.numbers()),
      ...referrerFacts.writers(() => referrerRows.numbers()),
      ...campaignTexts.writers(() => campaignRows.numbers()),
    } satisfies ColumnWriters,
    textBytes: () => queries.byteLength + referrerTexts.byteLength,
    clear() {
      const ofQueries = [queries, campaigns, campaignTexts, campaignRows];
      for (const part of [...ofQueries, referrers, referrerTexts, referrerRows, referrerFacts]) part.clear();
    },
  };
}

function campaignColumns(campaign: CampaignQuery): Record<CampaignColumn, string> {
  return {
    utm_source: campaign.source,
    utm_medium: campaign.medium,
    utm_campaign: campaign.campaign,
    utm_term: campaign.term,
    utm_content: campaign.content,
    query_names: campaign.queryNames,
  };
}
