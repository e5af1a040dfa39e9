import type { PathEntry } from '@waymark/client';
import { Button } from '../../components/button';
import { type Bound, InputField } from '../../components/field';
import { ChoiceField } from '../../components/filters';
import { nextKey } from '../../components/row-keys';
import { texts } from '../../texts/texts';

const { conditions: words } = texts.paths;
const MAX_CONDITIONS = 8;

/** A condition about a query parameter while it is edited. */
export interface EditedCondition {
  /** Identifies the row. */
  readonly key: number;
  readonly name: string;
  readonly test: keyof typeof words.tests;
  readonly value: string;
}

const newCondition = (): EditedCondition => ({ key: nextKey(), name: '', test: 'equals', value: '' });

/** The query parameters that a visit must have or lack for an entry to match. */
export function QueryConditions({ bound }: { readonly bound: Bound<readonly EditedCondition[]> }) {
  const { value: conditions, set, error, name } = bound;
  const change = (key: number, changed: Partial<EditedCondition>) =>
    set(conditions.map((condition) => (condition.key === key ? { ...condition, ...changed } : condition)));
  return (
    <fieldset class="query-conditions">
      <legend class="legend">{words.title}</legend>
      {conditions.length === 0 && <p class="field-hint">{words.none}</p>}
      {conditions.map((condition) => (
        <div key={condition.key} class="query-condition">
          <InputField
            label={words.name}
            name={name}
            value={condition.name}
            onText={(text) => change(condition.key, { name: text })}
          />
          <ChoiceField
            label={words.test}
            value={condition.test}
            options={words.tests}
            onChange={(test) => change(condition.key, { test: test as EditedCondition['test'] })}
          />
          {condition.test === 'equals' && (
            <InputField
              label={words.value}
              value={condition.value}
              onText={(value) => change(condition.key, { value })}
            />
          )}
          <Button
            small
            icon="trash"
            label={words.remove(condition.name)}
            onClick={() => set(conditions.filter(({ key }) => key !== condition.key))}
          />
        </div>
      ))}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          small
          icon="plus"
          disabled={conditions.length >= MAX_CONDITIONS}
          onClick={() => set([...conditions, newCondition()])}
        >
          {words.add}
        </Button>
      </div>
    </fieldset>
  );
}

/** Returns the conditions of an entry as rows of the form. */
export function conditionsOf(query: PathEntry['query']): readonly EditedCondition[] {
  return Object.entries(query ?? {}).map(([name, value]) => {
    if (typeof value === 'string') return { key: nextKey(), name, test: 'equals', value };
    return { key: nextKey(), name, test: value ? 'present' : 'absent', value: '' };
  });
}

/** Returns the member `query` of an entry. */
export function queryOf(conditions: readonly EditedCondition[]): PathEntry['query'] {
  if (conditions.length === 0) return null;
  const pairs = conditions.map(({ name, test, value }) => [
    name,
    test === 'equals' ? value : test === 'present',
  ]);
  return Object.fromEntries(pairs) as PathEntry['query'];
}

/** Returns a parameter that two rows name, which one object cannot hold. */
export function repeatedName(conditions: readonly EditedCondition[]): string | undefined {
  const names = conditions.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}
