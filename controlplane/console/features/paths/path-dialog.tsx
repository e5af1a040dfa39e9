import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { CheckField, SelectField, TextAreaField, TextField } from '../../components/field';
import { ErrorNote } from '../../components/messages';
import { useForm } from '../../components/use-form';
import { type PathChanges, usePathChanges } from '../../data/paths';
import type { PathEntry } from '../../data/records';
import { texts } from '../../texts/texts';

const { paths: words, shell } = texts;
const GONE = '410';

interface Values {
  readonly source: string;
  readonly destination: string;
  readonly statusCode: string;
  readonly queryForwarding: string;
  readonly enabled: boolean;
  readonly note: string;
}

const EMPTY: Values = {
  source: '',
  destination: '',
  statusCode: '301',
  queryForwarding: 'inherit',
  enabled: true,
  note: '',
};

/** Adds an entry of the path table, or edits one. */
export function PathDialog({
  id,
  entry,
  onClose,
}: {
  readonly id: string;
  /** Undefined: a new one. */
  readonly entry: PathEntry | undefined;
  readonly onClose: () => void;
}) {
  const changes = usePathChanges(id);
  const form = useForm<Values>({
    initial: entry === undefined ? EMPTY : valuesOf(entry),
    draft: `path-${id}-${entry?.id ?? 'new'}`,
    async submit(values) {
      const body = bodyOf(values);
      await (entry === undefined ? changes.add(body) : changes.edit(entry.id, body));
      onClose();
    },
  });
  return (
    <Dialog title={entry === undefined ? words.addTitle : words.editTitle} onClose={onClose}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <ErrorNote error={form.error} />
        <TextField
          bound={form.bind('source')}
          label={words.source}
          hint={words.sourceHint}
          placeholder="/old-page"
          autocomplete="off"
          data-autofocus
        />
        <SelectField bound={form.bind('statusCode')} label={words.statusCode} options={words.statusCodes} />
        {form.values.statusCode !== GONE && (
          <>
            <TextField
              bound={form.bind('destination')}
              label={words.destination}
              hint={words.destinationHint}
              placeholder="/new-page"
              autocomplete="off"
            />
            <SelectField bound={form.bind('queryForwarding')} label={words.query} options={words.queries} />
          </>
        )}
        <TextAreaField bound={form.bind('note')} label={words.note} rows={2} />
        <CheckField bound={form.bind('enabled')} label={words.enabled} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" isBusy={form.isBusy}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function valuesOf(entry: PathEntry): Values {
  return {
    source: entry.source,
    destination: entry.destination ?? '',
    statusCode: String(entry.statusCode),
    queryForwarding: String(entry.queryForwarding),
    enabled: entry.enabled,
    note: entry.note,
  };
}

function bodyOf(values: Values): PathChanges {
  const { source, destination, statusCode, queryForwarding, enabled, note } = values;
  return {
    source,
    destination: statusCode === GONE ? null : destination,
    statusCode: Number(statusCode),
    queryForwarding: queryForwarding === 'inherit' ? 'inherit' : queryForwarding === 'true',
    enabled,
    note,
  };
}

/** Members of an entry that make the same one again. */
export function copyOf(entry: PathEntry): PathChanges {
  const { source, query, destination, statusCode, queryForwarding, enabled, note } = entry;
  return { source, query, destination, statusCode, queryForwarding, enabled, note };
}
