import type { ConditionLogic, RuleAction, RuleCondition } from '../../../../shared/rules/rule-definition.js';
import { type Queryable, sendLater } from '../../../storage/postgres/database.js';
import { parseDestination } from '../../domains/public.js';

/** A redirect in the search for loops, with its possible destination hosts. */
export interface LoopNode {
  readonly host: string;
  /** Host of the redirect's own destination. */
  readonly destinationHost: string;
  /** The active rules within their dates, first in priority first. */
  readonly rules: readonly LoopRule[];
  /** Present while the redirect is disabled. */
  readonly disabled?: {
    readonly userId: string;
    /** Host of its owner's fallback; null without one. */
    readonly fallbackHost: string | null;
  };
}

export interface LoopRule {
  readonly id: number;
  readonly conditionLogic: ConditionLogic;
  readonly conditions: readonly RuleCondition[];
  readonly action: RuleAction;
  /** Host of the action's URL, or of each variant's URL. */
  readonly targetHosts: readonly string[];
}

/** The redirects that can be reached from one redirect, by host. */
export type LoopGraph = ReadonlyMap<string, LoopNode>;

/** Key of the advisory lock. Every control plane must use the same one. */
const GRAPH_LOCK = 7_291_874;

/** Maximum redirects of a chain. Longer ones are not searched for loops. Browsers follow 20. */
const MAX_NODES = 64;
/** Maximum rules that are read for one search. */
const MAX_RULES = 2_000;
/** Maximum size of a rule. Larger ones are not read and count as redirecting out of the graph. */
const MAX_RULE_BYTES = 16 * 1024;

interface NodeRow {
  readonly user_id: string;
  readonly from_domain: string;
  readonly enabled: boolean;
  readonly fallback_host: string | null;
  readonly to_host: string;
  readonly after_end_host: string | null;
  readonly ends_at: Date | null;
  readonly rule_id: number | null;
  readonly conditions: readonly RuleCondition[] | null;
  readonly condition_logic: ConditionLogic;
  readonly action: RuleAction | null;
  readonly start_date: Date | null;
  readonly end_date: Date | null;
}

const NODES = `SELECT redirects.user_id, from_domain, enabled, CASE WHEN NOT enabled THEN user_fallbacks.host END AS fallback_host,
    to_host, after_end_host, ends_at, rules.id AS rule_id, condition_logic, start_date, end_date,
    CASE WHEN content_bytes <= ${MAX_RULE_BYTES} THEN conditions END AS conditions,
    CASE WHEN content_bytes <= ${MAX_RULE_BYTES} THEN action END AS action
  FROM redirects LEFT JOIN rules ON rules.redirect_id = redirects.id AND rules.status = 'active'
    LEFT JOIN user_fallbacks ON user_fallbacks.user_id = redirects.user_id`;

/**
 * Serializes transactions that add edges to the graph of redirects. Two concurrent ones could close a loop together,
 * although each is harmless alone. The lock precedes the next statement, and ends with the transaction. Take it before
 * any lock on a redirect.
 */
export async function lockLoopGraph(tx: Queryable): Promise<void> {
  await sendLater(tx, 'SELECT pg_advisory_xact_lock($1)', [GRAPH_LOCK]);
}

/**
 * Takes the lock unless another transaction holds it. Resolves to whether it is taken. It does not wait, so locks on
 * redirects may precede it.
 */
export async function tryLockLoopGraph(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ is_taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS is_taken', [
    GRAPH_LOCK,
  ]);
  return row?.is_taken === true;
}

/**
 * Reads all redirects that can be reached from one redirect at a moment: verified redirects, including disabled ones,
 * with their own destinations, rules and the fallback of their owner. The first one always counts as verified.
 *
 * @param draft replaces the stored redirect
 * @returns undefined if the graph is too large to search
 */
export async function readLoopGraph(
  tx: Queryable,
  redirectId: string,
  at: Date,
  draft?: LoopNode,
): Promise<LoopGraph | undefined> {
  const graph = new Map<string, LoopNode>();
  const rows = await tx.query<NodeRow>(`${NODES} WHERE redirects.id = $1 ORDER BY priority LIMIT $2`, [
    redirectId,
    MAX_RULES + 1,
  ]);
  const [stored] = addNodes(graph, rows, at);
  const first = draft ?? stored;
  if (draft !== undefined) graph.set(draft.host, draft);
  const unread = first === undefined ? [] : hostsAfter(first, graph);
  return addReachable(tx, graph, unread, MAX_RULES - rows.length, at);
}

/** Reads the redirects that can be reached from a URL at a host, as `readLoopGraph` does. */
export function readLoopGraphFrom(tx: Queryable, host: string, at: Date): Promise<LoopGraph | undefined> {
  return addReachable(tx, new Map(), [host], MAX_RULES, at);
}

/** Adds the redirects of hosts, and the redirects that can be reached from them. */
async function addReachable(
  tx: Queryable,
  graph: Map<string, LoopNode>,
  hosts: readonly string[],
  maxRules: number,
  at: Date,
): Promise<LoopGraph | undefined> {
  let rulesLeft = maxRules;
  let unread = hosts;
  while (unread.length > 0 && rulesLeft >= 0 && graph.size <= MAX_NODES) {
    const found = await tx.query<NodeRow>(
      `${NODES} WHERE from_domain = ANY ($1) AND verified_at IS NOT NULL ORDER BY from_domain, priority LIMIT $2`,
      [unread, rulesLeft + 1],
    );
    rulesLeft -= found.length;
    const added = addNodes(graph, found, at);
    unread = [...new Set(added.flatMap((node) => hostsAfter(node, graph)))];
  }
  const isWhole = unread.length === 0 && rulesLeft >= 0;
  return isWhole ? graph : undefined;
}

/**
 * Returns the graph that data planes serve: disabled redirects serve the fallback of their owner, or are absent without
 * one. Undefined if no redirect is disabled.
 */
export function servedGraph(graph: LoopGraph): LoopGraph | undefined {
  const nodes = [...graph.values()];
  if (nodes.every(({ disabled }) => disabled === undefined)) return undefined;
  const served = nodes.flatMap((node) => {
    const { host, disabled } = node;
    if (disabled === undefined) return [node];
    return disabled.fallbackHost === null ? [] : [fallbackNode(host, disabled.fallbackHost)];
  });
  return new Map(served.map((node) => [node.host, node]));
}

/** Returns the node of a disabled redirect whose owner has a fallback. */
export function fallbackNode(host: string, fallbackHost: string): LoopNode {
  return { host, destinationHost: fallbackHost, rules: [] };
}

/** A redirect that is not stored, with the rules that would be live. */
export interface DraftedRedirect {
  readonly fromDomain: string;
  readonly toHost: string;
  readonly rules: readonly Omit<LoopRule, 'targetHosts'>[];
}

/** Returns the node of a redirect that is not stored. */
export function draftedNode({ fromDomain, toHost, rules }: DraftedRedirect): LoopNode {
  return {
    host: fromDomain,
    destinationHost: toHost,
    rules: rules.map((rule) => ({ ...rule, targetHosts: targetHostsOf(rule.action) })),
  };
}

/** @param rows grouped by redirect, in the order of its rules */
function addNodes(graph: Map<string, LoopNode>, rows: readonly NodeRow[], at: Date): LoopNode[] {
  const rulesByHost = new Map<string, LoopRule[]>();
  const nodes: LoopNode[] = [];
  for (const row of rows) {
    const rules = rulesByHost.get(row.from_domain) ?? [];
    if (!rulesByHost.has(row.from_domain)) {
      rulesByHost.set(row.from_domain, rules);
      const destinationHost = hasEnded(row, at) ? (row.after_end_host ?? '') : row.to_host;
      const disabled = { userId: row.user_id, fallbackHost: row.fallback_host };
      nodes.push({ host: row.from_domain, destinationHost, rules, ...(!row.enabled && { disabled }) });
    }
    if (row.rule_id !== null && isLive(row, at) && !hasEnded(row, at)) rules.push(toRule(row, row.rule_id));
  }
  for (const node of nodes) graph.set(node.host, node);
  return nodes;
}

/**
 * Returns whether a redirect has ended. An ended redirect ignores its rules and redirects only to its `afterEnd` URL,
 * if it has one.
 */
function hasEnded({ ends_at }: NodeRow, at: Date): boolean {
  return ends_at !== null && ends_at <= at;
}

function isLive({ start_date, end_date }: NodeRow, at: Date): boolean {
  return (start_date === null || start_date <= at) && (end_date === null || end_date >= at);
}

/**
 * Returns the rule of a row. A rule that is too large to read becomes a rule that may match any visitor and redirects
 * out of the graph.
 */
function toRule({ conditions, condition_logic, action }: NodeRow, id: number): LoopRule {
  if (conditions === null || action === null) {
    const unknown = { attribute: 'url_path', operator: 'exists' } as const;
    return { id, conditionLogic: 'AND', conditions: [unknown], action: NOWHERE, targetHosts: [''] };
  }
  return { id, conditionLogic: condition_logic, conditions, action, targetHosts: targetHostsOf(action) };
}

const NOWHERE: RuleAction = { type: 'redirect', url: '' };

function targetHostsOf(action: RuleAction): string[] {
  const targets = action.type === 'ab_test' ? action.variants : [action];
  return targets.map(({ url }) => {
    const parsed = parseDestination(url, { pathForwarding: false });
    return parsed.ok ? parsed.host : '';
  });
}

function hostsAfter({ destinationHost, rules, disabled }: LoopNode, graph: LoopGraph): string[] {
  const hosts = [destinationHost, ...rules.flatMap(({ targetHosts }) => targetHosts)];
  if (disabled !== undefined && disabled.fallbackHost !== null) hosts.push(disabled.fallbackHost);
  return hosts.filter((host) => !graph.has(host));
}
