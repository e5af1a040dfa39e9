import { Type } from 'typebox';
import { createReferrerType } from '../../../../shared/visitor/referrer-type.js';
import { count, LimitSchema, percent } from '../analytics-schema.js';
import { defineQuestion } from '../question.js';
import { type LookUp, rankedList } from '../ranked-list.js';
import { percentage } from '../ratios.js';
import { withShares } from './list-rows.js';

const typeOfReferrer = createReferrerType();

const REFERRER_TYPES = ['search', 'social', 'direct', 'email', 'paid', 'website', 'unknown'] as const;
type ReferrerType = (typeof REFERRER_TYPES)[number];

const ReferrerSchema = Type.Object({
  url: Type.String({
    description:
      'Address of the referrer, or `direct`, `search`, `social` or `unknown` if it is no web address.',
  }),
  domain: Type.String({ description: 'Registrable domain of the address, or an empty string.' }),
  type: Type.Enum([...REFERRER_TYPES], {
    description: 'Kind of referrer, from its address alone. `stats/campaigns` uses the tags of the link.',
  }),
  hits: count('Hits from this location. Excludes bots unless `includeBots`.'),
  uniqueVisitors: count('Distinct visitors from this location.'),
  percentage: percent('Percentage of all hits, including rows beyond the end of the list.'),
});

export const referrerStats = defineQuestion({
  path: 'stats/referrers',
  summary: 'Referrers',
  title: 'ReferrerStats',
  query: { limit: LimitSchema },
  data: Type.Object({
    referrers: Type.Array(ReferrerSchema, {
      description: 'Sorted by hits, then by url, domain and type. Each address has one row.',
    }),
    summary: Type.Object({
      totalReferrers: count('Number of referrers, including those beyond the end of the list.'),
      directTraffic: percent('Percentage of hits without a referrer.'),
      searchTraffic: percent('Percentage of the type `search`.'),
      socialTraffic: percent('Percentage of the type `social`.'),
      topReferrer: Type.Union([
        Type.Object(
          { domain: Type.String(), hits: count('Hits from all addresses of the domain.') },
          { description: 'Domain with the most hits.' },
        ),
        Type.Null(),
      ]),
    }),
  }),
  meta: { limit: LimitSchema },
  async ask(context, { limit }) {
    const { rows, totalRows, totalHits, others } = await rankedList(context, {
      rollUp: 'by_referrer',
      keys: KEYS,
      lookUp: LOOK_UP,
      others: { type: TYPE, domain: KEYS.domain },
      limit,
    });
    const referrers = withShares(rows, totalHits).map(({ word, ...row }) => ({
      ...row,
      type: row.domain === '' ? (word as ReferrerType) : typeOfReferrer(row.url, row.domain),
    }));
    const hitsOfType = new Map(others.type.map(({ name, hits }) => [name, hits]));
    const shareOf = (type: ReferrerType) => percentage(hitsOfType.get(type) ?? 0, totalHits);
    const [top] = others.domain;
    const summary = {
      totalReferrers: totalRows,
      directTraffic: shareOf('direct'),
      searchTraffic: shareOf('search'),
      socialTraffic: shareOf('social'),
      topReferrer: top === undefined ? null : { domain: top.name, hits: top.hits },
    };
    return { data: { referrers, summary }, meta: { limit } };
  },
});

/**
 * The type of a hit by its referrer alone. Hits from former versions may have the type of their campaign, `paid` or
 * `email`.
 */
const TYPE = `multiIf(referrer = '', 'direct', referrer_domain = '' AND referrer_type = 'paid', 'unknown', referrer_type)`;

const KEYS = {
  url: `multiIf(referrer = '', 'direct', referrer_domain != '', referrer,
    referrer_type IN ('search', 'social'), referrer_type, 'unknown')`,
  domain: 'referrer_domain',
  /** The type of a referrer that is not a web address. The type of an address follows from its domain. */
  word: `if(referrer_domain = '', ${TYPE}, '')`,
};

/**
 * Addresses have a domain. All others have one of a few words. Only `direct` corresponds to a single text, the empty
 * one.
 */
const LOOK_UP: LookUp<keyof typeof KEYS> = {
  columns: ['referrer', 'referrer_domain'],
  textsOf({ url, domain }) {
    if (url === 'direct') return ['', domain];
    return domain === '' ? undefined : [url, domain];
  },
  scattered: "referrer_domain = ''",
};
