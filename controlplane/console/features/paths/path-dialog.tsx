import type { PathEntry } from '@waymark/client';
import { Button } from '../../components/button';
import {
  type Bound,
  CheckField,
  FieldError,
  fieldsOf,
  InputField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../components/field';
import { ChoiceField } from '../../components/filters';
import { FormDialog } from '../../components/form';
import { nextKey } from '../../components/row-keys';
import { useForm } from '../../components/use-form';
import { type PathChanges, type ShownEntry, usePathChanges } from '../../data/paths';
import { texts } from '../../texts/texts';

const { paths: words } = texts;
const { conditions: conditionWords } = words;
const GONE = '410';

/** An entry with default values. */
export const NEW_ENTRY: ShownEntry = {
  id: 0,
  source: '',
  query: null,
  destination: null,
  statusCode: 301,
  queryForwarding: 'inherit',
  pathEnding: 'inherit',
  enabled: true,
  note: '',
  hitCount: 0,
  lastHitAt: null,
};

type Values = ReturnType<typeof valuesOf>;

/** Adds an entry of the path table, or edits one. */
export function PathDialog({
  id,
  entry,
  source = '',
  save,
  onClose,
}: {
  readonly id: string;
  /** Entry to edit. Undefined creates a new one. */
  readonly entry: ShownEntry | undefined;
  /** Saves the entry. Default: changes the live table. */
  readonly save?: (body: PathChanges) => Promise<unknown>;
  /** Initial source of a new entry. */
  readonly source?: string;
  readonly onClose: () => void;
}) {
  const changes = usePathChanges(id);
  const form = useForm<Values>({
    initial: valuesOf(entry ?? { ...NEW_ENTRY, source }),
    draft: `path-${id}-${save === undefined ? '' : 'draft-'}${entry?.id ?? `new${source}`}`,
    async submit(values) {
      const twice = repeatedName(values.query);
      if (twice !== undefined) throw new FieldError('query', words.conditions.twice(twice));
      const body = bodyOf(values);
      if (save !== undefined) await save(body);
      else await (entry === undefined ? changes.add(body) : changes.edit(entry.id, body));
      onClose();
    },
  });
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={entry === undefined ? words.addTitle : words.editTitle}
      form={form}
      submit={words.submit}
      onClose={onClose}
    >
      <TextField {...field('source')} placeholder="/old-page" data-autofocus={source === ''} />
      <SelectField
        bound={{ ...form.bind('pathEnding'), value: endingOf(form.values) }}
        label={words.pathEnding}
        options={form.values.source.endsWith('/*') ? words.prefixEndings : words.pathEndings}
      />
      <QueryConditions bound={form.bind('query')} />
      <SelectField {...field('statusCode')} options={words.statusCodes} />
      {form.values.statusCode !== GONE && (
        <>
          <TextField {...field('destination')} placeholder="/new-page" />
          <SelectField {...field('queryForwarding')} options={words.queries} />
        </>
      )}
      <TextAreaField {...field('note')} rows={2} />
      <CheckField {...field('enabled')} />
    </FormDialog>
  );
}

function valuesOf(entry: ShownEntry) {
  return {
    source: entry.source,
    destination: entry.destination ?? '',
    statusCode: String(entry.statusCode),
    query: conditionsOf(entry.query),
    queryForwarding: String(entry.queryForwarding),
    pathEnding: String(entry.pathEnding),
    enabled: entry.enabled,
    note: entry.note,
  };
}

function bodyOf(values: Values): PathChanges {
  const { source, destination, statusCode, query, queryForwarding, enabled, note } = values;
  return {
    source,
    query: queryOf(query),
    destination: statusCode === GONE ? null : destination,
    statusCode: Number(statusCode) as PathEntry['statusCode'],
    queryForwarding: queryForwarding === 'inherit' ? 'inherit' : queryForwarding === 'true',
    pathEnding: endingOf(values),
    enabled,
    note,
  };
}

/** Returns `pathEnding`, reset if the source does not end in "/*": such a source has no paths below it. */
function endingOf({ source, pathEnding }: Values): PathEntry['pathEnding'] {
  return pathEnding === 'below' && !source.endsWith('/*') ? 'exact' : (pathEnding as PathEntry['pathEnding']);
}

/** Returns the members of an entry that are needed to create an equal entry. */
export function copyOf(entry: ShownEntry): PathChanges {
  const { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note } = entry;
  return { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note };
}

const MAX_CONDITIONS = 8;

/** A condition about a query parameter, in the form's representation. */
interface EditedCondition {
  /** Identifies the row. */
  readonly key: number;
  readonly name: string;
  readonly test: keyof typeof conditionWords.tests;
  readonly value: string;
}

const newCondition = (): EditedCondition => ({ key: nextKey(), name: '', test: 'equals', value: '' });

/** Edits the query parameters that a visit must have or lack for an entry to match. */
function QueryConditions({ bound }: { readonly bound: Bound<readonly EditedCondition[]> }) {
  const { value: conditions, set, error, name } = bound;
  const change = (key: number, changed: Partial<EditedCondition>) =>
    set(conditions.map((condition) => (condition.key === key ? { ...condition, ...changed } : condition)));
  return (
    <fieldset class="query-conditions">
      <legend class="legend">{conditionWords.title}</legend>
      {conditions.length === 0 && <p class="field-hint">{conditionWords.none}</p>}
      {conditions.map((condition) => (
        <div key={condition.key} class="query-condition">
          <InputField
            label={conditionWords.name}
            name={name}
            value={condition.name}
            onText={(text) => change(condition.key, { name: text })}
          />
          <ChoiceField
            label={conditionWords.test}
            value={condition.test}
            options={conditionWords.tests}
            onChange={(test) => change(condition.key, { test: test as EditedCondition['test'] })}
          />
          {condition.test === 'equals' && (
            <InputField
              label={conditionWords.value}
              value={condition.value}
              onText={(value) => change(condition.key, { value })}
            />
          )}
          <Button
            small
            icon="trash"
            label={conditionWords.remove(condition.name)}
            onClick={() => set(conditions.filter(({ key }) => key !== condition.key))}
          />
        </div>
      ))}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <Button
        small
        icon="plus"
        disabled={conditions.length >= MAX_CONDITIONS}
        onClick={() => set([...conditions, newCondition()])}
      >
        {conditionWords.add}
      </Button>
    </fieldset>
  );
}

/** Returns the conditions of an entry as rows of the form. */
function conditionsOf(query: PathEntry['query']): readonly EditedCondition[] {
  return Object.entries(query ?? {}).map(([name, value]) => {
    if (typeof value === 'string') return { key: nextKey(), name, test: 'equals', value };
    return { key: nextKey(), name, test: value ? 'present' : 'absent', value: '' };
  });
}

/** Returns the member `query` of an entry. */
function queryOf(conditions: readonly EditedCondition[]): PathEntry['query'] {
  if (conditions.length === 0) return null;
  const pairs = conditions.map(({ name, test, value }) => [
    name,
    test === 'equals' ? value : test === 'present',
  ]);
  return Object.fromEntries(pairs) as PathEntry['query'];
}

/** Returns a parameter that two rows name, or undefined. The API's object can have each name only once. */
function repeatedName(conditions: readonly EditedCondition[]): string | undefined {
  const names = conditions.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}
