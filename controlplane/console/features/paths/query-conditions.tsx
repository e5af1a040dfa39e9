import type { PathEntry } from '@waymark/client';
import { Button } from '../../components/button';
import { type Bound, Field } from '../../components/field';
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
          <Field label={words.name}>
            {(control) => (
              <input
                {...control}
                class="input"
                name={name}
                autocomplete="off"
                spellcheck={false}
                value={condition.name}
                onInput={({ currentTarget }) => change(condition.key, { name: currentTarget.value })}
              />
            )}
          </Field>
          <Field label={words.test}>
            {(control) => (
              <select
                {...control}
                class="input"
                value={condition.test}
                onChange={({ currentTarget }) =>
                  change(condition.key, { test: currentTarget.value as EditedCondition['test'] })
                }
              >
                {Object.entries(words.tests).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {condition.test === 'equals' && (
            <Field label={words.value}>
              {(control) => (
                <input
                  {...control}
                  class="input"
                  autocomplete="off"
                  spellcheck={false}
                  value={condition.value}
                  onInput={({ currentTarget }) => change(condition.key, { value: currentTarget.value })}
                />
              )}
            </Field>
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
