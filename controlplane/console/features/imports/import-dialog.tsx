import type { Import } from '@waymark/client';
import { useLocation } from 'wouter-preact';
import { FieldError, FileField, fieldsOf, SelectField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { useImportChanges } from '../../data/imports';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { dialog: words } = texts.imports;
type FormatChoice = keyof typeof words.formats;
/** The API's limit. Checked here too, because a server may close the connection during the upload of a larger file. */
const MAX_FILE_BYTES = 200 * 1024 * 1024;

interface Values {
  readonly file: File | undefined;
  readonly format: FormatChoice;
  readonly mode: Import['mode'];
}

/** Uploads a file for a dry run, and opens the page that shows its result. */
export function ImportDialog({
  redirectId,
  onClose,
}: {
  /** Redirect to which the paths of the file belong. Undefined if the file has redirects. */
  readonly redirectId?: string;
  readonly onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const { upload } = useImportChanges();
  const form = useForm<Values>({
    initial: { file: undefined, format: '', mode: 'best_effort' },
    async submit({ file, format, mode }) {
      if (file === undefined) throw new FieldError('file', words.fileNeeded);
      if (file.size > MAX_FILE_BYTES) throw new FieldError('file', words.fileTooLarge);
      if (format === '') throw new FieldError('format', words.formatNeeded);
      const { id } = await upload.mutateAsync({ file, redirectId, format, mode, dryRun: true });
      navigate(routes.import(id));
    },
  });
  const file = form.bind('file');
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={redirectId === undefined ? words.redirects : words.paths}
      form={form}
      submit={form.isBusy ? words.uploading : words.check}
      onClose={onClose}
    >
      <FileField
        bound={{
          ...file,
          set: (chosen) => form.set({ file: chosen, format: formatOf(chosen?.name ?? '') }),
        }}
        label={words.file}
        hint={words.fileHint}
      />
      <SelectField {...field('format')} options={words.formats} />
      <SelectField {...field('mode')} options={words.modes} />
      <p class="quiet">{words.checkHint}</p>
    </FormDialog>
  );
}

const BY_NAME: readonly (readonly [RegExp, FormatChoice])[] = [
  [/(?:^|[^a-z])bitly/i, 'bitly'],
  [/(?:^|[^a-z])shlink/i, 'shlink'],
  [/(?:^|[^a-z])yourls/i, 'yourls'],
  [/\.csv$/i, 'csv'],
  [/\.(?:ndjson|jsonl)$/i, 'ndjson'],
  [/htaccess/i, 'htaccess'],
  [/^_redirects/i, 'netlify'],
  [/caddy/i, 'caddy'],
  [/^vercel.*\.json$/i, 'vercel'],
  [/\.conf$/i, 'nginx'],
];

/** Guesses the format of a file from its name. Returns '' if the name does not show it. */
function formatOf(name: string): FormatChoice {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}
