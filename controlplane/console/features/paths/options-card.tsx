import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { CheckField, SelectField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { useToast } from '../../components/toasts';
import { type FormState, useForm } from '../../components/use-form';
import { usePathChanges } from '../../data/paths';
import { texts } from '../../texts/texts';

const { options: words } = texts.paths;

/** Edits the options of a table: the comparison of paths, and the answer for paths without an entry. */
export function OptionsCard({ id, options }: { readonly id: string; readonly options: Schemas.PathOptions }) {
  const { setOptions } = usePathChanges(id);
  const [initial] = useState(options);
  const toast = useToast();
  const form: FormState<Schemas.PathOptions> = useForm<Schemas.PathOptions>({
    initial,
    draft: `path-options-${id}`,
    async submit(values) {
      await setOptions(values);
      form.reset(values);
      toast({ text: words.saved });
    },
  });
  return (
    <Card title={words.title}>
      <Form form={form} submit={words.submit}>
        <SelectField
          bound={form.bind('unmatched')}
          label={words.unmatched}
          options={words.unmatchedChoices}
        />
        <CheckField bound={form.bind('ignoreCase')} label={words.ignoreCase} hint={words.ignoreCaseHint} />
        <CheckField
          bound={form.bind('ignoreTrailingSlash')}
          label={words.ignoreTrailingSlash}
          hint={words.ignoreTrailingSlashHint}
        />
      </Form>
    </Card>
  );
}
