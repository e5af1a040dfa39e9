import type { Condition, Rule, RuleBody, RuleStatus, RuleType } from '../../data/rules';

/** A condition while it is edited. Values are texts, as typed. */
export interface EditedCondition {
  /** Identifies the row while it moves. */
  readonly key: number;
  readonly attribute: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly param: string;
  readonly timezone: string;
}

export interface EditedVariant {
  readonly key: number;
  readonly name: string;
  readonly url: string;
  readonly percentage: string;
}

/** A rule while it is edited: all actions at once, so that switching between them loses nothing. */
export interface EditedRule {
  readonly name: string;
  readonly status: RuleStatus;
  readonly type: RuleType;
  readonly conditionLogic: 'AND' | 'OR';
  readonly conditions: readonly EditedCondition[];
  readonly url: string;
  readonly percentage: string;
  readonly variants: readonly EditedVariant[];
  readonly statusCode: string;
  readonly startDate: string;
  readonly endDate: string;
}

let lastKey = 0;
export function nextKey(): number {
  lastKey += 1;
  return lastKey;
}

export function newCondition(attribute: string, operator: string): EditedCondition {
  return { key: nextKey(), attribute, operator, values: [''], param: '', timezone: '' };
}

const newVariant = (name: string, url = ''): EditedVariant => ({
  key: nextKey(),
  name,
  url,
  percentage: '50',
});

export function newRule(): EditedRule {
  return {
    name: '',
    status: 'active',
    type: 'force',
    conditionLogic: 'AND',
    conditions: [],
    url: '',
    percentage: '10',
    variants: [newVariant('A'), newVariant('B')],
    statusCode: '',
    startDate: '',
    endDate: '',
  };
}

export function editedRule(rule: Rule): EditedRule {
  const { action } = rule;
  return {
    ...newRule(),
    name: rule.name,
    status: rule.status,
    type: rule.type,
    conditionLogic: rule.conditionLogic,
    conditions: rule.conditions.map(editedCondition),
    url: action.url ?? '',
    percentage: String(action.percentage ?? 10),
    variants: (action.variants ?? []).map(({ name, url, percentage }) => ({
      key: nextKey(),
      name,
      url,
      percentage: String(percentage),
    })),
    statusCode: String(action.statusCode ?? ''),
    startDate: localTime(rule.startDate),
    endDate: localTime(rule.endDate),
  };
}

function editedCondition({ attribute, operator, value, param, timezone }: Condition): EditedCondition {
  return {
    key: nextKey(),
    attribute,
    operator,
    values: value === undefined ? [''] : [value].flat().map(String),
    param: param ?? '',
    timezone: timezone ?? '',
  };
}

/** The body of a rule. Members that the API knows and the form does not are kept from the former rule. */
export function ruleBody(
  rule: EditedRule,
  valueTypeOf: (operator: string) => string,
  former?: Rule,
): RuleBody {
  return {
    name: rule.name,
    type: rule.type,
    status: rule.status,
    conditionLogic: rule.conditionLogic,
    conditions: rule.conditions.map((condition) => conditionBody(condition, valueTypeOf(condition.operator))),
    action: { ...keptOf(rule, former), ...actionOf(rule) } as RuleBody['action'],
    startDate: isoTime(rule.startDate),
    endDate: isoTime(rule.endDate),
  };
}

function keptOf(rule: EditedRule, former: Rule | undefined): object {
  if (former?.type !== rule.type) return {};
  const { statusCode: _, ...kept } = former.action;
  return kept;
}

function actionOf(rule: EditedRule): object {
  const statusCode = rule.statusCode === '' ? {} : { statusCode: Number(rule.statusCode) };
  if (rule.type === 'force') return { type: 'redirect', url: rule.url, ...statusCode };
  if (rule.type === 'percentage') {
    return { type: 'percentage_redirect', url: rule.url, percentage: Number(rule.percentage), ...statusCode };
  }
  const variants = rule.variants.map(({ name, url, percentage }) => ({
    name,
    url,
    percentage: Number(percentage),
  }));
  return { type: 'ab_test', variants, ...statusCode };
}

function conditionBody(
  { attribute, operator, values, param, timezone }: EditedCondition,
  valueType: string,
): Condition {
  const filled = values.map((value) => value.trim()).filter((value) => value !== '');
  const value =
    valueType === 'array' ? filled : valueType === 'range' ? values.slice(0, 2) : (values[0] ?? '');
  return {
    attribute,
    operator,
    ...(valueType !== 'none' && { value }),
    ...(param !== '' && { param }),
    ...(timezone !== '' && { timezone }),
  };
}

/** Returns a moment as an input of type `datetime-local` holds it. */
function localTime(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const isoTime = (local: string) => (local === '' ? null : new Date(local).toISOString());
