import type { RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import { BenchVisitor, type BenchVisitorTraits } from './bench-visitor.js';

/** A visitor, and the rule that must decide for them; undefined if no rule may. */
export interface Case {
  readonly visitor: BenchVisitor;
  readonly ruleId: number | undefined;
}

/** Rules of one redirect, and visitors. The matching rule of each visitor follows from how both were generated. */
export interface RuleWorkload {
  readonly rules: readonly RuleDefinition[];
  /** One visitor for each of up to 1,000 rules, selected at even distances. */
  readonly hits: readonly Case[];
  /** Visitors who satisfy a part of many rules, and no whole rule. */
  readonly misses: readonly Case[];
}

export type WorkloadName = keyof typeof KINDS;

const MOST_HITS = 1_000;
const COUNTRIES = 200;
const FIRST_LETTER = 'A'.charCodeAt(0);

const USUAL: BenchVisitorTraits = {
  country: 'ZZ',
  deviceType: 'desktop',
  browserName: 'Chrome',
  osName: 'Windows',
  language: 'en-GB',
  urlPath: '/',
  campaign: 'none',
};

/**
 * A kind of rule, and the attributes that distinguish its matching visitors from others of the same country and
 * language.
 */
interface Kind {
  conditions(place: number): readonly RuleCondition[];
  matching(place: number): Partial<BenchVisitorTraits>;
}

/**
 * Kinds of a mixed workload, used in rotation: country with device, browser or system, campaign, and percentage of a
 * country.
 */
const MIXED: readonly Kind[] = [
  {
    conditions: (place) => [...where(place), equals('device_type', 'mobile')],
    matching: (place) => ({ ...living(place), deviceType: 'mobile', browserName: 'Safari', osName: 'iOS' }),
  },
  {
    conditions: (place) => [...where(place), equals('browser_name', 'Firefox')],
    matching: (place) => ({ ...living(place), browserName: 'Firefox', osName: 'Linux' }),
  },
  {
    conditions: (place) => [{ ...equals('query_param', `campaign-${place}`), param: 'utm_campaign' }],
    matching: (place) => ({ campaign: `campaign-${place}` }),
  },
  {
    conditions: (place) => [
      ...where(place),
      { attribute: 'os_name', operator: 'in', value: ['Mac OS', 'Chromium OS'] },
    ],
    matching: (place) => ({ ...living(place), osName: 'Mac OS' }),
  },
  {
    // A percentage of the desktops that no earlier kind matches.
    conditions: (place) => [
      ...where(place),
      equals('device_type', 'desktop'),
      { attribute: 'browser_name', operator: 'not_in', value: ['Firefox', 'Edge'] },
      { attribute: 'os_name', operator: 'not_equals', value: 'Mac OS' },
    ],
    matching: (place) => living(place),
  },
];

const PATHS: Kind = {
  conditions: (place) => [equals('url_path', `/catalogue/page-${place}.html`)],
  matching: (place) => ({ urlPath: `/catalogue/page-${place}.html` }),
};

const PATH_STARTS: Kind = {
  conditions: (place) => [
    { attribute: 'url_path', operator: 'starts_with', value: `/catalogue/section-${place}/` },
  ],
  matching: (place) => ({ urlPath: `/catalogue/section-${place}/page-7.html` }),
};

/** The kinds of rules in each workload, used in rotation. */
const KINDS = { mixed: MIXED, paths: [PATHS], starts: [PATH_STARTS] } as const;

/** Makes the workload with `count` rules. */
export function createWorkload(name: WorkloadName, count: number): RuleWorkload {
  const kinds: readonly Kind[] = KINDS[name];
  const kindOf = (index: number) => kinds[index % kinds.length] as Kind;
  const placeOf = (index: number) => Math.floor(index / kinds.length);
  const ruleOf = (index: number) => ruleWith(index, kindOf(index).conditions(placeOf(index)));
  const hitOf = (index: number): Case => ({
    visitor: new BenchVisitor({ ...USUAL, ...kindOf(index).matching(placeOf(index)) }),
    ruleId: index + 1,
  });
  const hitCount = Math.min(count, MOST_HITS);
  const indexes = Array.from({ length: hitCount }, (_, hit) => Math.floor((hit * count) / hitCount));
  return {
    rules: Array.from({ length: count }, (_, index) => ruleOf(index)),
    hits: indexes.map(hitOf),
    misses: Array.from({ length: COUNTRIES }, (_, place) => ({
      visitor: new BenchVisitor({
        ...USUAL,
        ...living(place),
        browserName: 'Edge',
        urlPath: `/missing-${place}`,
      }),
      ruleId: undefined,
    })),
  };
}

function ruleWith(index: number, conditions: readonly RuleCondition[]): RuleDefinition {
  const url = `https://target-${index}.example/welcome`;
  return {
    id: index + 1,
    conditionLogic: 'AND',
    conditions,
    action:
      index % MIXED.length === MIXED.length - 1
        ? { type: 'percentage_redirect', url, percentage: 50, sticky: 'none' }
        : { type: 'redirect', url },
  };
}

/** Returns two conditions that distinguish the visitors of each place from all others. */
function where(place: number): readonly RuleCondition[] {
  const { country, language } = living(place);
  return [equals('country', country), equals('language', language)];
}

function living(place: number): Pick<BenchVisitorTraits, 'country' | 'language'> {
  return {
    country: letters(place % COUNTRIES),
    language: letters(Math.floor(place / COUNTRIES)).toLowerCase(),
  };
}

/** Two letters for each number below 676. */
function letters(number: number): string {
  return String.fromCharCode(FIRST_LETTER + Math.floor(number / 26), FIRST_LETTER + (number % 26));
}

function equals(attribute: RuleCondition['attribute'], value: string): RuleCondition {
  return { attribute, operator: 'equals', value };
}
