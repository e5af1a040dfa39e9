import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { DraftNote } from '../../components/draft-note';
import { CheckField, SelectField } from '../../components/field';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { type Form, useForm } from '../../components/use-form';
import { usePathChanges } from '../../data/paths';
import { texts } from '../../texts/texts';

const { options: words } = texts.paths;

/** Edits the options of a table: the comparison of paths, and the answer for paths without an entry. */
export function OptionsCard({ id, options }: { readonly id: string; readonly options: Schemas.PathOptions }) {
  const { setOptions } = usePathChanges(id);
  const [initial] = useState(options);
  const toast = useToast();
  const form: Form<Schemas.PathOptions> = useForm<Schemas.PathOptions>({
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
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <DraftNote form={form} />
        <ErrorNote error={form.error} />
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
        <div>
          <Button type="submit" isBusy={form.isBusy}>
            {words.submit}
          </Button>
        </div>
      </form>
    </Card>
  );
}
