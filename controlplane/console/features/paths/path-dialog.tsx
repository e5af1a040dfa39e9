import type { PathEntry } from '@waymark/client';
import { CheckField, FieldError, SelectField, TextAreaField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { type PathChanges, type ShownEntry, usePathChanges } from '../../data/paths';
import { texts } from '../../texts/texts';
import { conditionsOf, QueryConditions, queryOf, repeatedName } from './query-conditions';

const { paths: words } = texts;
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
  /** Undefined: a new one. */
  readonly entry: ShownEntry | undefined;
  /** Default: changes the live table. */
  readonly save?: (body: PathChanges) => Promise<unknown>;
  /** Source that a new entry begins with. */
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
  return (
    <FormDialog
      title={entry === undefined ? words.addTitle : words.editTitle}
      form={form}
      submit={words.submit}
      onClose={onClose}
    >
      <TextField
        bound={form.bind('source')}
        label={words.source}
        hint={words.sourceHint}
        placeholder="/old-page"
        data-autofocus={source === ''}
      />
      <SelectField
        bound={{ ...form.bind('pathEnding'), value: endingOf(form.values) }}
        label={words.pathEnding}
        options={form.values.source.endsWith('/*') ? words.prefixEndings : words.pathEndings}
      />
      <QueryConditions bound={form.bind('query')} />
      <SelectField bound={form.bind('statusCode')} label={words.statusCode} options={words.statusCodes} />
      {form.values.statusCode !== GONE && (
        <>
          <TextField
            bound={form.bind('destination')}
            label={words.destination}
            hint={words.destinationHint}
            placeholder="/new-page"
          />
          <SelectField bound={form.bind('queryForwarding')} label={words.query} options={words.queries} />
        </>
      )}
      <TextAreaField bound={form.bind('note')} label={words.note} rows={2} />
      <CheckField bound={form.bind('enabled')} label={words.enabled} />
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

/** A source that no longer ends in "/*" has no paths below it. */
function endingOf({ source, pathEnding }: Values): PathEntry['pathEnding'] {
  return pathEnding === 'below' && !source.endsWith('/*') ? 'exact' : (pathEnding as PathEntry['pathEnding']);
}

/** Returns the members of an entry that are needed to create the same one again. */
export function copyOf(entry: ShownEntry): PathChanges {
  const { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note } = entry;
  return { source, query, destination, statusCode, queryForwarding, pathEnding, enabled, note };
}
