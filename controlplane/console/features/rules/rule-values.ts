import { nextKey } from '../../components/row-keys';
import { isoTime, localTime } from '../../components/times';
import type {
  Condition,
  ConditionValue,
  EditableRule,
  RuleBody,
  RuleStatus,
  RuleType,
  Variant,
} from '../../data/rules';

/** A condition in the form's representation. Values are texts, as typed. */
export interface EditedCondition {
  /** Identifies the row when it moves. */
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
  /** Members that the form does not show. */
  readonly kept: object;
}

/**
 * A rule in the form's representation. It keeps the input for all types of action, so switching between them loses
 * nothing.
 */
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

export function newCondition(attribute: string, operator: string): EditedCondition {
  return { key: nextKey(), attribute, operator, values: [''], param: '', timezone: '' };
}

const newVariant = (name: string): EditedVariant => ({
  key: nextKey(),
  name,
  url: '',
  percentage: '50',
  kept: {},
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

export function editedRule(rule: EditableRule): EditedRule {
  const { action } = rule;
  return {
    ...newRule(),
    name: rule.name,
    status: rule.status ?? 'draft',
    type: rule.type,
    conditionLogic: rule.conditionLogic ?? 'AND',
    conditions: (rule.conditions ?? []).map(editedCondition),
    url: action.url ?? '',
    percentage: String(action.percentage ?? 10),
    ...(action.variants && { variants: action.variants.map(editedVariant) }),
    statusCode: String(action.statusCode ?? ''),
    startDate: localTime(rule.startDate),
    endDate: localTime(rule.endDate),
  };
}

function editedVariant({ name, url, percentage, ...kept }: Variant): EditedVariant {
  return { key: nextKey(), name, url, percentage: String(percentage), kept };
}

function editedCondition({ attribute, operator, value, param, timezone }: Condition): EditedCondition {
  return {
    key: nextKey(),
    attribute,
    operator,
    values: editedValues(operator, value),
    param: param ?? '',
    timezone: timezone ?? '',
  };
}

function editedValues(operator: string, value: ConditionValue | undefined): readonly string[] {
  if (value === undefined) return [''];
  const values = [value].flat().map(String);
  // Show a range of two addresses as the text `a-b`. The API accepts both, and a text fits into one field.
  return operator === 'ip_range' ? [values.join('-')] : values;
}

/**
 * Returns the members that the user has changed. Only these are sent, because others may have changed other members
 * since the form was opened.
 */
export function changedMembers(before: RuleBody, after: RuleBody): Partial<RuleBody> {
  const isChanged = (name: keyof RuleBody) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const changed = (Object.keys(after) as (keyof RuleBody)[]).filter(isChanged);
  // The API accepts a type only with a matching action, so send both.
  const sent =
    changed.includes('action') || changed.includes('type') ? ['type', 'action', ...changed] : changed;
  return Object.fromEntries(sent.map((name) => [name, after[name as keyof RuleBody]]));
}

/** Returns the API's body for a rule. Keeps members of the former rule that the form does not show. */
export function ruleBody(
  rule: EditedRule,
  valueTypeOf: (operator: string) => string,
  former?: EditableRule,
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

/** Returns the members of the former action that the form does not show. Omits `sticky` if the type has changed. */
function keptOf(rule: EditedRule, former: EditableRule | undefined): object {
  if (former === undefined) return {};
  const { type, url, percentage, variants, statusCode, sticky, ...kept } = former.action;
  return former.type === rule.type && sticky !== undefined ? { ...kept, sticky } : kept;
}

function actionOf(rule: EditedRule): object {
  const statusCode = rule.statusCode === '' ? {} : { statusCode: Number(rule.statusCode) };
  if (rule.type === 'force') return { type: 'redirect', url: rule.url, ...statusCode };
  if (rule.type === 'percentage') {
    return { type: 'percentage_redirect', url: rule.url, percentage: Number(rule.percentage), ...statusCode };
  }
  const variants = rule.variants.map(({ name, url, percentage, kept }) => ({
    ...kept,
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
