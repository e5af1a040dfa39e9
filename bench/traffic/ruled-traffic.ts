import type { RuleAction, RuleCondition, RuleDefinition } from '../../shared/rules/rule-definition.js';
import { type BenchRequest, benchPath, benchRedirect, ruledLocations, shuffled } from './bench-request.js';
import { AGENTS, addressOf, type BenchAgent, countryOf } from './visitors.js';

/** A kind of rule, and the visitors who match it and no earlier rule of their redirect. */
interface Kind {
  /** @param code the distinguishing part of segment and campaign names */
  conditions(place: number, code: string): readonly RuleCondition[];
  readonly agent: BenchAgent;
  /** Whether the campaign in the query or the segment distinguishes the visitors. */
  readonly tells: 'campaign' | 'segment';
  /** Percentage of visitors who are redirected there. Default: all. */
  readonly percentage?: number;
}

/**
 * Kinds of rules, used in rotation: country and device, browser, query, country and browser, percentage. Each has its
 * `place`.
 */
const KINDS: readonly Kind[] = [
  {
    conditions: (place, code) => [inCountry(place), equals('device_type', 'mobile'), inSegment(code)],
    agent: AGENTS.phone,
    tells: 'segment',
  },
  {
    conditions: (_, code) => [equals('browser_name', 'Firefox'), inSegment(code)],
    agent: AGENTS.firefox,
    tells: 'segment',
  },
  {
    conditions: (_, code) => [query('utm_campaign', `campaign-${code}`)],
    agent: AGENTS.chrome,
    tells: 'campaign',
  },
  {
    conditions: (place, code) => [inCountry(place), equals('browser_name', 'Edge'), inSegment(code)],
    agent: AGENTS.edge,
    tells: 'segment',
  },
  {
    conditions: (place, code) => [inCountry(place), equals('device_type', 'desktop'), inSegment(code)],
    agent: AGENTS.chrome,
    tells: 'segment',
    percentage: 50,
  },
];

/** One visitor of this many satisfies parts of rules and no rule. */
const MISS_EVERY = 6;

/** Version of the destinations of a host's rules. Each change switches from one to the other. */
export type Edition = 'first' | 'second';

/** Returns the edition of a host's rules after `changes` changes, which go through the hosts in rotation. */
export function editionAfter(changes: number, hostIndex: number, hostCount: number): Edition {
  const own = Math.floor(changes / hostCount) + (hostIndex < changes % hostCount ? 1 : 0);
  return own % 2 === 0 ? 'first' : 'second';
}

/**
 * Similarity of the hosts' rules: `alike` hosts differ in destinations only, as if made from a template; `unlike` hosts
 * share no rule with a query condition.
 */
export type RuleLikeness = 'alike' | 'unlike';

export interface RulesOfHosts {
  readonly rulesPerHost: number;
  /** Default: `alike`. */
  readonly likeness?: RuleLikeness;
}

/** Kind of visitors: the same few visitors return, one in each country, or each request is the first of its visitor. */
export type RuledVisitors = 'known' | 'new';

/** Hosts with rules and who visits them. */
export interface RuledTraffic extends RulesOfHosts {
  /** Default: `known`. */
  readonly visitors?: RuledVisitors;
}

/** The rules of one host. Their ids are unique among hosts. */
export function benchRules(
  hostIndex: number,
  { rulesPerHost, likeness }: RulesOfHosts,
  edition: Edition = 'first',
): RuleDefinition[] {
  return Array.from({ length: rulesPerHost }, (_, index) => {
    const kind = kindOf(index);
    const url = ruleUrl(hostIndex, index, edition);
    return {
      id: hostIndex * rulesPerHost + index + 1,
      conditionLogic: 'AND',
      conditions: kind.conditions(placeOf(index), codeOf(hostIndex, placeOf(index), likeness)),
      action: actionOf(url, kind.percentage),
    };
  });
}

/** A percentage also answers 301, so that every right answer has the same status. */
function actionOf(url: string, percentage: number | undefined): RuleAction {
  if (percentage === undefined) return { type: 'redirect', url };
  return { type: 'percentage_redirect', url, percentage, statusCode: 301, sticky: 'none' };
}

/** Returns the destination of a rule. It is on the host's own site, so no two rules share a destination. */
export function ruleUrl(hostIndex: number, ruleIndex: number, edition: Edition = 'first'): string {
  return `https://www.shop-${hostIndex}.example/${edition}-offer-${ruleIndex}`;
}

/** The locations that a server may send while rules change, or has to send when they are of one edition. */
export function locationsOf(request: BenchRequest, editions: readonly Edition[]): readonly string[] {
  return ruledLocations(request).flatMap((location) =>
    editions.map((edition) => location.replace('/first-offer-', `/${edition}-offer-`)),
  );
}

/**
 * Makes visitors of hosts with rules, in scattered order. The hosts come from first to last, each time with another
 * deciding rule, and for some visitors no rule decides. The expected answers follow from how rules and visitors are
 * made.
 *
 * @param requestCount below 65,536 if all visitors are new
 */
export function ruledRequests(
  hostCount: number,
  { rulesPerHost, likeness, visitors = 'known' }: RuledTraffic,
  requestCount: number,
): BenchRequest[] {
  const requests = Array.from({ length: requestCount }, (_, request) => {
    const hostIndex = request % hostCount;
    const visit = hostIndex + Math.floor(request / hostCount);
    const visitor = visitors === 'new' ? request : 1;
    const isMiss = request % MISS_EVERY === MISS_EVERY - 1;
    return isMiss
      ? missingRequest(hostIndex, addressOf(visit, visitor))
      : matchingRequest(hostIndex, { ruleIndex: visit % rulesPerHost, visitor, likeness });
  });
  return shuffled(requests);
}

interface Match {
  readonly ruleIndex: number;
  readonly visitor: number;
  readonly likeness: RuleLikeness | undefined;
}

function matchingRequest(hostIndex: number, { ruleIndex, visitor, likeness }: Match): BenchRequest {
  const { agent, tells, percentage } = kindOf(ruleIndex);
  const place = placeOf(ruleIndex);
  const code = codeOf(hostIndex, place, likeness);
  const segment = tells === 'segment' ? `segment-${code}` : 'none';
  const campaign = tells === 'campaign' ? `campaign-${code}` : 'none';
  const query = `segment=${segment}&utm_campaign=${campaign}`;
  const request = requestOf(hostIndex, agent, addressOf(place, visitor), query);
  const url = ruleUrl(hostIndex, ruleIndex);
  return { ...request, ruled: percentage === undefined ? [url] : [url, request.destination] };
}

/** The country and the browser of a rule, and neither its segment nor its campaign. */
function missingRequest(hostIndex: number, address: string): BenchRequest {
  return requestOf(hostIndex, AGENTS.edge, address, 'segment=none&utm_campaign=none');
}

function requestOf(hostIndex: number, agent: BenchAgent, address: string, queryText: string): BenchRequest {
  const { host, destination } = benchRedirect(hostIndex);
  return {
    host,
    destination,
    target: `${benchPath(hostIndex)}?${queryText}&id=${hostIndex}`,
    headers: { 'User-Agent': agent.userAgent, 'X-Forwarded-For': address },
  };
}

function kindOf(ruleIndex: number): Kind {
  return KINDS[ruleIndex % KINDS.length] as Kind;
}

function codeOf(hostIndex: number, place: number, likeness: RuleLikeness = 'alike'): string {
  return likeness === 'alike' ? `${place}` : `${place}-of-${hostIndex}`;
}

function placeOf(ruleIndex: number): number {
  return Math.floor(ruleIndex / KINDS.length);
}

function inCountry(place: number): RuleCondition {
  return equals('country', countryOf(place));
}

function inSegment(code: string): RuleCondition {
  return query('segment', `segment-${code}`);
}

function query(param: string, value: string): RuleCondition {
  return { ...equals('query_param', value), param };
}

function equals(attribute: RuleCondition['attribute'], value: string): RuleCondition {
  return { attribute, operator: 'equals', value };
}
