import type { Redirect } from '@waymark/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { CheckField, fieldsOf, SelectField, TextAreaField, TextField } from '../../components/field';
import { DraftNote } from '../../components/form';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { type FormState, useForm } from '../../components/use-form';
import { texts } from '../../texts/texts';
import { needsPreloadHost, patchOf, type SettingsValues, settingsOf } from './settings-values';

const { settings: words, form: basic } = texts.redirects;

interface Part {
  readonly form: FormState<SettingsValues>;
}

/** A form with all settings of a redirect. @param draft name of the stored draft of unsaved input */
export function SettingsForm({
  redirect,
  draft,
  save,
}: {
  readonly redirect: Redirect;
  readonly draft: string;
  /** Saves the changes, and resolves to the changed redirect. */
  readonly save: (changed: Record<string, unknown>) => Promise<Redirect>;
}) {
  const [base, setBase] = useState(redirect);
  const toast = useToast();
  const form: FormState<SettingsValues> = useForm<SettingsValues>({
    initial: settingsOf(redirect),
    draft,
    async submit(values) {
      const changed = await save(patchOf(values, base));
      setBase(changed);
      form.reset(settingsOf(changed));
      toast({ text: texts.shell.saved });
    },
  });
  return (
    <form class="stack" onSubmit={form.onSubmit} noValidate>
      <DraftNote form={form} />
      <DestinationPart form={form} />
      <OrganizationPart form={form} />
      <SchedulePart form={form} />
      <HttpsPart form={form} base={base} />
      <StatisticsPart form={form} />
      <AdvancedPart form={form} />
      <div class="save">
        <ErrorNote error={form.error} />
        <Button type="submit" look="primary" isBusy={form.isBusy}>
          {form.isBusy ? texts.shell.saving : texts.shell.save}
        </Button>
      </div>
    </form>
  );
}

function PartCard({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <Card title={title}>
      <div class="form">{children}</div>
    </Card>
  );
}

function DestinationPart({ form }: Part) {
  const field = fieldsOf(form, words);
  const basicField = fieldsOf(form, basic);
  return (
    <PartCard title={words.destination}>
      <TextField {...basicField('toDomain')} inputMode="url" />
      <SelectField {...field('statusCode')} options={words.statusCodes} />
      <CheckField {...basicField('pathForwarding')} />
      <CheckField {...basicField('queryForwarding')} />
      <CheckField {...field('enabled')} />
    </PartCard>
  );
}

function OrganizationPart({ form }: Part) {
  const field = fieldsOf(form, words);
  return (
    <PartCard title={words.organization}>
      <div class="form-row">
        <TextField {...field('tags')} />
        <TextField {...field('externalId')} />
      </div>
      <TextAreaField {...field('note')} />
    </PartCard>
  );
}

function SchedulePart({ form }: Part) {
  const { afterEnd } = form.values;
  const field = fieldsOf(form, words);
  return (
    <PartCard title={words.schedule}>
      <div class="form-row">
        <TextField {...field('startsAt')} hint={words.timesHint} type="datetime-local" />
        <TextField {...field('endsAt')} hint={words.timesHint} type="datetime-local" />
      </div>
      <SelectField {...field('afterEnd')} options={words.afterEnds} />
      {afterEnd === 'url' && <TextField {...field('afterEndUrl')} inputMode="url" />}
    </PartCard>
  );
}

function HttpsPart({ form, base }: Part & { readonly base: Redirect }) {
  const field = fieldsOf(form, words);
  return (
    <PartCard title={words.https}>
      <SelectField {...field('httpsMode')} options={words.httpsModes} />
      <CheckField {...field('hsts')} />
      {form.values.hsts && (
        <>
          <TextField {...field('hstsMaxAge')} inputMode="numeric" />
          <CheckField {...field('hstsIncludeSubDomains')} />
          <CheckField {...field('hstsPreload')} />
          {needsPreloadHost(form.values, base) && (
            <TextField
              bound={form.bind('hstsPreloadHost')}
              label={words.hstsPreloadHost(base.fromDomain)}
              hint={words.hstsPreloadHostHint}
            />
          )}
        </>
      )}
    </PartCard>
  );
}

function StatisticsPart({ form }: Part) {
  const field = fieldsOf(form, words);
  return (
    <PartCard title={words.statistics}>
      <div class="form-row">
        <TextField {...field('samplingRate')} inputMode="decimal" />
        <SelectField {...field('queryRecording')} options={words.queryRecordings} />
      </div>
    </PartCard>
  );
}

function AdvancedPart({ form }: Part) {
  const field = fieldsOf(form, words);
  return (
    <PartCard title={words.advanced}>
      <TextField {...field('cacheSeconds')} inputMode="numeric" />
      <TextAreaField {...field('responseHeaders')} />
      <TextAreaField {...field('appendQuery')} />
    </PartCard>
  );
}
