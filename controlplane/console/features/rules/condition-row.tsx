import type { Schemas } from '@waymark/client';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Field, InputField } from '../../components/field';
import { ChoiceField } from '../../components/filters';
import { useDelayed } from '../../components/use-delayed';
import { useAttributeValues } from '../../data/rules';
import { texts } from '../../texts/texts';
import type { EditedCondition } from './rule-values';

const { form: words } = texts.rules;
const TYPING_MS = 300;

/** Edits one condition: attribute, operator and value. @param error the API's error for this condition */
export function ConditionRow({
  id,
  place,
  condition,
  catalogue,
  error,
  onChange,
  onRemove,
}: {
  readonly id: string;
  readonly place: number;
  readonly condition: EditedCondition;
  readonly catalogue: Schemas.ListRuleAttributesResponse;
  readonly error: string | undefined;
  readonly onChange: (condition: EditedCondition) => void;
  readonly onRemove: () => void;
}) {
  const attributes = Object.values(catalogue.attributes).flatMap((category) => category.attributes);
  const attribute = attributes.find(({ key }) => key === condition.attribute);
  const operators = catalogue.operators.filter(({ key }) => attribute?.operators.includes(key));
  const param = useDelayed(condition.param, TYPING_MS);
  const values = useAttributeValues(id, condition.attribute, param, attribute?.requiresParam === true);

  function chooseAttribute(key: string) {
    const allowed: readonly string[] = attributes.find((other) => other.key === key)?.operators ?? [];
    const operator = allowed.includes(condition.operator) ? condition.operator : (allowed[0] ?? '');
    onChange({ ...condition, attribute: key, operator, values: [''], param: '', timezone: '' });
  }

  return (
    <div class={error ? 'condition condition-wrong' : 'condition'}>
      <div class="condition-fields">
        <Field label={words.attribute}>
          {(control) => (
            <select
              {...control}
              class="input"
              value={condition.attribute}
              onChange={({ currentTarget }) => chooseAttribute(currentTarget.value)}
            >
              {Object.entries(catalogue.attributes).map(([key, category]) => (
                <optgroup key={key} label={category.name}>
                  {category.attributes.map((other) => (
                    <option key={other.key} value={other.key}>
                      {other.name}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
          )}
        </Field>
        {attribute?.requiresParam && (
          <InputField
            label={words.param}
            value={condition.param}
            onText={(text) => onChange({ ...condition, param: text })}
          />
        )}
        <ChoiceField
          label={words.operator}
          value={condition.operator}
          options={operators.map(({ key, name }) => [key, name])}
          onChange={(operator) => onChange({ ...condition, operator })}
        />
        <ConditionValues
          condition={condition}
          valueType={operators.find(({ key }) => key === condition.operator)?.valueType ?? 'single'}
          suggestions={values.data ?? []}
          onChange={(changed) => onChange({ ...condition, values: changed })}
        />
        {attribute?.acceptsTimezone && (
          <InputField
            label={words.timezone}
            placeholder="UTC"
            value={condition.timezone}
            onText={(timezone) => onChange({ ...condition, timezone })}
          />
        )}
      </div>
      <Button small icon="trash" label={words.removeCondition(place)} onClick={onRemove} />
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** Edits the value of a condition: one value, several, a range, or none. */
function ConditionValues({
  condition: { values },
  valueType,
  suggestions,
  onChange,
}: {
  readonly condition: EditedCondition;
  readonly valueType: string;
  readonly suggestions: readonly Schemas.AttributeValue[];
  readonly onChange: (values: readonly string[]) => void;
}) {
  const list = useId();
  if (valueType === 'none') return null;
  if (valueType === 'array') {
    return (
      <ValueList
        label={words.values}
        values={values}
        suggestions={<Suggestions id={list} values={suggestions} />}
        suggested={new Set(suggestions.map(({ value }) => value))}
        listId={list}
        onChange={onChange}
      />
    );
  }
  const labels = valueType === 'range' ? [words.from, words.to] : [words.value];
  return (
    <>
      {labels.map((label, index) => (
        <InputField
          key={label}
          label={label}
          list={list}
          value={values[index] ?? ''}
          onText={(text) =>
            onChange(labels.map((_, other) => (other === index ? text : (values[other] ?? ''))))
          }
        />
      ))}
      <Suggestions id={list} values={suggestions} />
    </>
  );
}

/** Suggests values. Values of real visitors come first, with their count. */
function Suggestions({
  id,
  values,
}: {
  readonly id: string;
  readonly values: readonly Schemas.AttributeValue[];
}) {
  return (
    <datalist id={id}>
      {values.map(({ value, label, count }) => (
        <option key={value} value={value} label={count === undefined ? label : words.seen(label, count)} />
      ))}
    </datalist>
  );
}

/**
 * Edits several values, each with a remove button. The typed value is added by Enter, by a comma, or by leaving the
 * field.
 */
function ValueList({
  label,
  values,
  suggestions,
  suggested,
  listId,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly string[];
  readonly suggestions: ComponentChildren;
  /** Suggested values. They may contain commas. */
  readonly suggested: ReadonlySet<string>;
  readonly listId: string;
  readonly onChange: (values: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const chosen = values.filter((value) => value !== '');

  function add() {
    const typedValues = suggested.has(typed) ? [typed] : typed.split(/[,\n]/);
    const added = typedValues
      .map((value) => value.trim())
      .filter((value) => value !== '' && !chosen.includes(value));
    setTyped('');
    if (added.length > 0) onChange([...chosen, ...added]);
  }

  return (
    <div class="value-list">
      <InputField
        label={label}
        list={listId}
        placeholder={words.addValue}
        value={typed}
        onText={setTyped}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ',') return;
          event.preventDefault();
          add();
        }}
      />
      {suggestions}
      <ul class="chips">
        {chosen.map((value) => (
          <li key={value} class="chip">
            {value}
            <Button
              small
              icon="close"
              label={words.removeValue(value)}
              onClick={() => onChange(chosen.filter((other) => other !== value))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
