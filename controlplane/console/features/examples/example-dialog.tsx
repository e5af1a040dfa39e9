import type { Schemas } from '@waymark/client';
import { FieldError, SelectField, TextField } from '../../components/field';
import { FormDialog } from '../../components/form';
import { useForm } from '../../components/use-form';
import { texts } from '../../texts/texts';
import { type EditedExample, exampleOf, fieldOf, valuesOf } from './example-values';

const { form: words } = texts.examples;
const { test } = texts.redirects;

/** Adds an example, or edits one. */
export function ExampleDialog({
  id,
  host,
  example,
  others,
  save,
  onClose,
}: {
  readonly id: string;
  readonly host: string;
  readonly example: Schemas.Example | undefined;
  /** Names that are taken. */
  readonly others: readonly string[];
  readonly save: (example: Schemas.Example) => Promise<void>;
  readonly onClose: () => void;
}) {
  const form = useForm<EditedExample>({
    initial: valuesOf(example, host),
    draft: `example ${id} ${example?.name ?? 'new'}`,
    async submit(values) {
      if (others.includes(values.name.trim())) throw new FieldError('name', words.twice);
      await save(exampleOf(values, example));
      onClose();
    },
    fieldOf,
  });
  const isAnswer = form.values.kind === 'answer';
  return (
    <FormDialog
      title={example ? words.editTitle : words.addTitle}
      form={form}
      submit={words.submit}
      isWide
      onClose={onClose}
    >
      <TextField
        bound={form.bind('name')}
        label={words.name}
        placeholder={words.namePlaceholder}
        data-autofocus
      />
      <TextField bound={form.bind('url')} label={words.url} hint={words.urlHint} inputMode="url" />
      <div class="form-row form-row-narrow">
        <TextField bound={form.bind('country')} label={words.country} placeholder="DE" maxLength={2} />
        <SelectField bound={form.bind('device')} label={words.device} options={test.devices} />
        <TextField bound={form.bind('language')} label={words.language} placeholder="de-DE" />
      </div>
      <div class="form-row">
        <TextField bound={form.bind('userAgent')} label={words.userAgent} />
        <TextField bound={form.bind('at')} label={words.at} hint={words.atHint} type="datetime-local" />
      </div>
      <SelectField bound={form.bind('kind')} label={words.kind} options={words.kinds} />
      {isAnswer && (
        <>
          <TextField bound={form.bind('location')} label={words.location} placeholder="https://" />
          <div class="form-row">
            <TextField bound={form.bind('statusCode')} label={words.statusCode} inputMode="numeric" />
            <TextField bound={form.bind('ruleName')} label={words.ruleName} />
          </div>
        </>
      )}
    </FormDialog>
  );
}
