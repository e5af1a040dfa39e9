import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button } from '../../components/button';
import { fieldsOf, SelectField, TextField } from '../../components/field';
import { DraftNote } from '../../components/form';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import type { EditableRule, RuleBody } from '../../data/rules';
import { texts } from '../../texts/texts';
import { ActionFields } from './action-fields';
import { ConditionRow } from './condition-row';
import {
  changedMembers,
  type EditedCondition,
  type EditedRule,
  editedRule,
  newCondition,
  newRule,
  ruleBody,
} from './rule-values';

const { rules: words } = texts;

/** A form that creates or changes a rule. */
export function RuleForm({
  id,
  rule,
  catalogue,
  draft,
  back,
  save,
}: {
  readonly id: string;
  readonly rule: EditableRule | undefined;
  readonly catalogue: Schemas.ListRuleAttributesResponse;
  /** Name of the stored draft of unsaved input. */
  readonly draft: string;
  /** URL to open afterwards. */
  readonly back: string;
  /** @param changed the members that the user has changed; for a new rule, all members */
  readonly save: (body: RuleBody, changed: Partial<RuleBody>) => Promise<unknown>;
}) {
  const [opened] = useState(rule);
  const [, navigate] = useLocation();
  const toast = useToast();
  const valueTypeOf = (operator: string) =>
    catalogue.operators.find(({ key }) => key === operator)?.valueType ?? 'single';
  const [initial] = useState(() => (opened === undefined ? newRule() : editedRule(opened)));
  const bodyOf = (values: EditedRule) => ruleBody(values, valueTypeOf, opened);
  const form = useForm({
    initial,
    draft,
    async submit(values) {
      const body = bodyOf(values);
      await save(body, opened === undefined ? body : changedMembers(bodyOf(initial), body));
      toast({ text: words.saved(values.name) });
      navigate(back);
    },
    fieldOf,
  });
  const { conditions } = form.values;
  const setConditions = (changed: readonly EditedCondition[]) => form.set({ conditions: changed });
  const field = fieldsOf(form, words.form);
  return (
    <form class="form stack narrow" onSubmit={form.onSubmit} noValidate>
      <DraftNote form={form} />
      <ErrorNote error={form.error} />
      <Card>
        <TextField {...field('name')} placeholder={words.form.namePlaceholder} />
        <SelectField {...field('status')} options={words.status} />
      </Card>
      <Card title={words.form.conditions}>
        {conditions.length > 1 && <SelectField {...field('conditionLogic')} options={words.form.logics} />}
        {conditions.length === 0 && <p class="quiet">{words.form.noConditions}</p>}
        {conditions.map((condition, index) => (
          <ConditionRow
            key={condition.key}
            id={id}
            place={index + 1}
            condition={condition}
            catalogue={catalogue}
            error={form.messageAt(`conditions.${index}`)}
            onChange={(changed) =>
              setConditions(conditions.map((other) => (other.key === changed.key ? changed : other)))
            }
            onRemove={() => setConditions(conditions.filter(({ key }) => key !== condition.key))}
          />
        ))}
        <Button
          small
          icon="plus"
          onClick={() => setConditions([...conditions, newCondition('country', 'equals')])}
        >
          {words.form.addCondition}
        </Button>
      </Card>
      <Card title={words.form.action}>
        <ActionFields form={form} />
      </Card>
      <Card title={words.form.dates} lead={words.form.datesHint}>
        <div class="form-row">
          <TextField {...field('startDate')} type="datetime-local" />
          <TextField {...field('endDate')} type="datetime-local" />
        </div>
      </Card>
      <div class="button-row">
        <Button type="submit" look="primary" isBusy={form.isBusy}>
          {words.form.save}
        </Button>
        <Button
          onClick={() => {
            form.reset(initial);
            navigate(back);
          }}
        >
          {texts.shell.cancel}
        </Button>
      </div>
    </form>
  );
}

/** Returns the form field that shows an error of an API member. */
function fieldOf(path: string): string {
  const [first = '', second = ''] = path.split('.');
  return first === 'action' ? second || 'url' : first;
}
