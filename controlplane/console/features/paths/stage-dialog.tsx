import { type Schemas, WaymarkError } from '@waymark/client';
import { FieldError, FileField, fieldsOf } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useToast } from '../../components/toasts';
import { useForm } from '../../components/use-form';
import { useStagedChanges } from '../../data/staged-paths';
import { texts } from '../../texts/texts';
import { readTable, UnreadableTable } from './table-file';

const { upload: words } = texts.paths.staged;
/** The API's limit. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Uploads a staged table. @param onStaged receives the API's remarks about it */
export function StageDialog({
  id,
  onStaged,
  onClose,
}: {
  readonly id: string;
  readonly onStaged: (diagnostics: readonly Schemas.PathDiagnostic[]) => void;
  readonly onClose: () => void;
}) {
  const { upload } = useStagedChanges(id);
  const toast = useToast();
  const form = useForm<{ readonly file: File | undefined }>({
    initial: { file: undefined },
    async submit({ file }) {
      if (file === undefined) throw new FieldError('file', words.fileNeeded);
      if (file.size > MAX_FILE_BYTES) throw new FieldError('file', words.fileTooLarge);
      try {
        const table = readTable(file.name, await file.text(), words);
        const { summary, diagnostics } = await upload.mutateAsync(table);
        toast({ text: words.done(summary.total) });
        onStaged(diagnostics);
      } catch (error) {
        throw inForm(error);
      }
      onClose();
    },
  });
  const field = fieldsOf(form, words);
  return (
    <FormDialog
      title={words.title}
      form={form}
      submit={form.isBusy ? words.uploading : words.submit}
      onClose={onClose}
    >
      <p>{words.body}</p>
      <FileField {...field('file')} />
    </FormDialog>
  );
}

/** Converts an error into one of the file field. Adds the number of the refused entry. */
function inForm(error: unknown): unknown {
  if (error instanceof UnreadableTable) return new FieldError('file', error.message);
  if (!(error instanceof WaymarkError) || error.field === undefined) return error;
  const place = /^entries\.(\d+)/.exec(error.field)?.[1];
  return new FieldError(
    'file',
    place === undefined ? error.message : words.entry(Number(place) + 1, error.message),
  );
}
