import type { Redirect, Rule, Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge';
import { FieldError, fieldsOf, SelectField, TextField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { Note } from '../../components/messages';
import { useForm } from '../../components/use-form';
import { type Condition, useRules } from '../../data/rules';
import { type TestedVisit, testVisit } from '../../data/test-visit';
import { texts } from '../../texts/texts';
import { conditionText } from '../rules/rule-summary';

const { test: words } = texts.redirects;

/** Form fields by the API member that they fill. */
const FIELDS: Readonly<Record<string, string>> = {
  country: 'country',
  device_type: 'device',
  language: 'language',
  url_path: 'url',
  query_params: 'url',
};

/** Tests a visit, and shows its destination and the reason. */
export function TestCard({
  redirect,
  lead = words.lead,
  visit = testVisit,
}: {
  readonly redirect: Redirect;
  readonly lead?: string;
  /** Tests a visit with the API. Default: with the current rules. */
  readonly visit?: typeof testVisit;
}) {
  const [tested, setTested] = useState<TestedVisit>();
  const rules = useRules(redirect.id);
  const form = useForm({
    initial: { url: '/', country: '', device: '', language: '' },
    async submit(values) {
      try {
        setTested(await visit(redirect.id, redirect.fromDomain.replace('*', 'www'), values));
      } catch (error) {
        throw error instanceof TypeError ? new FieldError('url', words.unreadableUrl) : error;
      }
    },
    fieldOf: (path) => FIELDS[path.split('.')[1] ?? ''] ?? (path.startsWith('urls') ? 'url' : undefined),
  });
  const field = fieldsOf(form, words);
  return (
    <Card title={words.title} lead={lead}>
      <Form form={form} submit={words.submit} look="primary">
        <TextField {...field('url')} inputMode="url" />
        <div class="form-row form-row-narrow">
          <TextField {...field('country')} placeholder="DE" maxLength={2} />
          <SelectField {...field('device')} options={words.devices} />
          <TextField {...field('language')} placeholder="de" />
        </div>
      </Form>
      <div aria-live="polite">
        {tested && (
          <TestResult tested={tested} isLive={redirect.status === 'active'} rules={rules.data ?? []} />
        )}
      </div>
    </Card>
  );
}

function TestResult({
  tested: { rule, path },
  isLive,
  rules,
}: {
  readonly tested: TestedVisit;
  readonly isLive: boolean;
  /** The current rules. They have the values of the conditions. */
  readonly rules: readonly Rule[];
}) {
  const decided = rule.result?.triggered ? rule.result : undefined;
  const target = decided === undefined ? path.location : decided.url;
  return (
    <div class="test-result">
      <p>
        <span class="quiet">{target === null ? words.noDestination : words.goesTo} </span>
        {target !== null && <span class="test-url">{target}</span>}{' '}
        <Badge tone={target === null ? 'warning' : 'good'}>{decided?.statusCode ?? path.statusCode}</Badge>
      </p>
      <p>{reasonOf({ rule, path })}</p>
      {rule.explanation && rule.explanation.length > 0 && (
        <details open>
          <summary>{words.rules}</summary>
          <ol class="steps">
            {rule.explanation.map(({ ruleId, ruleName, outcome, conditions }) => (
              <li key={ruleId}>
                <strong>{ruleName}</strong> {words.outcomes[outcome]}
                <ConditionList
                  conditions={conditions}
                  known={rules.find(({ id }) => id === ruleId)?.conditions ?? []}
                />
              </li>
            ))}
          </ol>
        </details>
      )}
      {!isLive && <Note>{words.notLive}</Note>}
    </div>
  );
}

/** Lists the conditions of a rule, and whether the visitor fulfils each. */
function ConditionList({
  conditions,
  known,
}: {
  readonly conditions: Schemas.ExplainedRule['conditions'];
  readonly known: readonly Condition[];
}) {
  if (conditions.length === 0) return null;
  /** Adds the value of the condition. If a draft has changed the condition, its value is unknown and is omitted. */
  const whole = ({ index, attribute, operator }: Schemas.ExplainedRule['conditions'][number]): Condition => {
    const condition = known[index];
    const isSame = condition?.attribute === attribute && condition.operator === operator;
    return isSame ? condition : { attribute, operator };
  };
  return (
    <ul class="condition-list">
      {conditions.map((condition) => (
        <li key={condition.index}>
          <Badge tone={condition.matched ? 'good' : 'neutral'}>
            {condition.matched ? words.holds : words.fails}
          </Badge>{' '}
          {conditionText(whole(condition))}
        </li>
      ))}
    </ul>
  );
}

function reasonOf({ rule, path }: TestedVisit): string {
  const { result } = rule;
  if (result?.triggered) return words.reasons.rule(result.ruleName);
  if (result !== null) return words.reasons.outside(result.ruleName);
  switch (path.reason) {
    case 'exact':
    case 'pattern':
      return words.reasons[path.reason](path.source ?? '');
    case 'rule':
      return rule.message;
    default:
      return words.reasons[path.reason];
  }
}
