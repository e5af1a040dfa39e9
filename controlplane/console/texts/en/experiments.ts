import { number, percent } from './numbers';

const signed = (share: number) => `${share > 0 ? '+' : ''}${percent(share, 1)}`;

export const experiments = {
  percent,
  signed,
  title: 'Results',
  open: 'Results',
  openOne: (name: string) => `Results of ${name}`,
  of: (name: string) => `Results of “${name}”`,
  back: 'Rules',
  filters: {
    label: 'Question',
    goal: 'Goal',
    anyGoal: 'Any posted conversion',
    goalWithCount: (goal: string, conversions: number) => `${goal} (${number(conversions)})`,
    visitGoal: 'A visit to…',
    visit: 'Host and path of the goal',
    visitHint: 'Such as shop.example.com/thanks, or /thanks* for all that begins so.',
    start: 'From',
    end: 'To',
    effect: 'Effect to find, in %',
    bots: 'Count bots',
  },
  verdicts: {
    notEnough: 'Not enough data yet',
    mismatch: 'Do not trust these numbers: visitors are not shared as the weights say',
    causes: 'Likely causes:',
    causeList: [
      'Bots that come to one variant more often',
      'A cache that pins a variant',
      'Visitors that are filtered out after their variant is chosen',
      'Cookies that keep a variant from before a change of the weights',
    ],
  },
  progress: 'Visitors so far',
  rates: {
    title: 'Conversion rate',
    lead: 'The dot is the measured rate, the bar its 95 % interval. Bars that overlap much say little about which is better.',
    interval: (low: number, high: number) => `${percent(low)} to ${percent(high)}`,
    text: (name: string, rate: number, low: number, high: number) =>
      `${name}: ${percent(rate)}, between ${percent(low)} and ${percent(high)}`,
    baseline: 'Baseline',
  },
  lifts: {
    title: (baseline: string) => `Difference from ${baseline}`,
    lead: 'In percentage points. The interval holds at every look, so you can look every day. If it contains 0, the variants may be equal.',
    text: (name: string, lift: number, low: number, high: number) =>
      `${name}: ${signed(lift)}, between ${signed(low)} and ${signed(high)}`,
    unknown: 'Too few conversions to say.',
  },
  columns: {
    variant: 'Variant',
    visitors: 'Visitors',
    conversions: 'Conversions',
    rate: 'Rate, 95 % interval',
    lift: 'Relative difference, interval',
    best: 'Probability to be best',
    revenue: 'Revenue per visitor',
  },
  none: 'None',
  facts: {
    pValue: (value: string) => `p-value ${value}, valid however often you look`,
    ratioOk: (value: string) => `Visitors are shared as the weights say (p-value ${value})`,
    mixed: (value: number) =>
      `${number(value)} visitors saw more than one variant. They count for the first that they saw.`,
    unassigned: (value: number) => `${number(value)} visits belong to no variant and are left out.`,
  },
  segments: {
    title: 'The variants changed in this period',
    lead: 'Numbers before and after a change cannot be added up. The results above are those since the last change.',
    period: (start: string, end: string) => `${start} to ${end}`,
  },
  bots: {
    title: 'Bots',
    excluded: 'Left out of the numbers above.',
    included: 'Part of the numbers above.',
    none: 'No bots came in this period.',
    hits: 'Visits',
  },
  noConversions: {
    title: 'How conversions get here',
    body: 'Choose a goal “A visit to…” if the thank-you page is behind one of your redirects. Otherwise your server posts conversions to',
  },
} as const;
