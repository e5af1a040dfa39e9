import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { Rule, Schemas } from '@waymark/client';
import { queryOf, useRefresh } from './queries';
import { request } from './request';

export type RuleType = Rule['type'];
export type RuleStatus = Rule['status'];
export type ConditionValue = string | number | readonly (string | number)[];

export interface Condition {
  readonly attribute: string;
  readonly operator: string;
  readonly value?: ConditionValue;
  readonly param?: string;
  readonly timezone?: string;
}

export type Variant = Pick<Schemas.Variant, 'name' | 'percentage' | 'url'>;

export interface RuleAction {
  readonly type: 'redirect' | 'percentage_redirect' | 'ab_test';
  readonly url?: string;
  readonly percentage?: number;
  readonly variants?: readonly Variant[];
  readonly statusCode?: number;
  readonly sticky?: string;
}

export interface RuleBody {
  readonly name: string;
  readonly type: RuleType;
  readonly status: RuleStatus;
  readonly conditionLogic: Rule['conditionLogic'];
  readonly conditions: readonly Condition[];
  readonly action: RuleAction;
  readonly startDate: string | null;
  readonly endDate: string | null;
}

type Required = 'name' | 'type' | 'action';
/** A rule to edit: a stored rule, or a rule of a draft. The latter can lack members that have a default. */
export type EditableRule = Pick<RuleBody, Required> & Partial<Omit<RuleBody, Required>>;

const REFRESH_MS = 15_000;
const rulesKey = (id: string) => ['rules', id] as const;

export function useRules(id: string) {
  return useQuery({
    queryKey: rulesKey(id),
    async queryFn({ signal }) {
      const path = '/rules/redirect/{redirectId}';
      return (await request('GET', path, { params: { redirectId: id }, signal })).rules;
    },
    refetchInterval: REFRESH_MS,
  });
}

/** Reads the attributes and operators of conditions. Only a new release changes them. */
export function useCatalogue() {
  return useQuery({
    ...queryOf(['rules', 'catalogue'], '/rules/attributes'),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads suggested values. Values of real visitors come first. */
export function useAttributeValues(id: string, attribute: string, param: string, needsParam: boolean) {
  return useQuery({
    queryKey: ['rules', 'values', id, attribute, param],
    async queryFn({ signal }) {
      const path = '/rules/redirect/{redirectId}/attributes/{attribute}/values';
      const answer = await request('GET', path, {
        params: { redirectId: id, attribute },
        query: { param: needsParam ? param : undefined },
        signal,
      });
      return answer.values;
    },
    enabled: attribute !== '' && (!needsParam || param !== ''),
    staleTime: 60_000,
  });
}

/** Changes of a redirect's rules. Each reloads the list. */
export function useRuleChanges(id: string) {
  const client = useQueryClient();
  const refresh = useRefresh(rulesKey(id));
  async function change<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      void refresh();
    }
  }
  /** Shows a change before the API confirms it. The reload afterwards removes a refused change. */
  function show(changed: (rules: readonly Rule[]) => readonly Rule[]): void {
    // A pending answer still has the previous state.
    void client.cancelQueries({ queryKey: rulesKey(id) });
    client.setQueryData<readonly Rule[]>(rulesKey(id), (rules) => rules && changed(rules));
  }
  const one = (ruleId: number) => ({ params: { ruleId } });
  return {
    create: (body: RuleBody) =>
      change(request('POST', '/rules/redirect/{redirectId}', { params: { redirectId: id }, body })),
    update: (ruleId: number, body: Partial<RuleBody>) =>
      change(request('PUT', '/rules/{ruleId}', { ...one(ruleId), body })),
    setStatus(ruleId: number, status: RuleStatus) {
      show((rules) => rules.map((rule) => (rule.id === ruleId ? { ...rule, status } : rule)));
      return change(request('PUT', '/rules/{ruleId}/status', { ...one(ruleId), body: { status } }));
    },
    duplicate: (ruleId: number) => change(request('POST', '/rules/{ruleId}/duplicate', one(ruleId))),
    remove: (ruleId: number) => change(request('DELETE', '/rules/{ruleId}', one(ruleId))),
    reorder(rules: readonly Rule[]) {
      show(() => rules);
      const ruleIds = rules.map((rule) => rule.id);
      return change(
        request('PUT', '/rules/redirect/{redirectId}/reorder', {
          params: { redirectId: id },
          body: { ruleIds },
        }),
      );
    },
  };
}
