import type { Redirect } from '@waymark/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { CheckField, SelectField, TextAreaField, TextField } from '../../components/field';
import { DraftNote } from '../../components/form';
import { Card } from '../../components/layout';
import { ErrorNote } from '../../components/messages';
import { useToast } from '../../components/toasts';
import { type FormState, useForm } from '../../components/use-form';
import { texts } from '../../texts/texts';
import { ForwardingFields } from './forwarding-fields';
import { needsPreloadHost, patchOf, type SettingsValues, settingsOf } from './settings-values';

const { settings: words, form: basic } = texts.redirects;

interface Part {
  readonly form: FormState<SettingsValues>;
}

/** All members of a redirect that can be changed. @param draft name under which unsaved input is kept */
export function SettingsForm({
  redirect,
  draft,
  save,
}: {
  readonly redirect: Redirect;
  readonly draft: string;
  /** Resolves to the redirect with the changes. */
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
  return (
    <PartCard title={words.destination}>
      <TextField bound={form.bind('toDomain')} label={basic.to} hint={basic.toHint} inputMode="url" />
      <SelectField bound={form.bind('statusCode')} label={words.statusCode} options={words.statusCodes} />
      <ForwardingFields form={form} />
      <CheckField bound={form.bind('enabled')} label={words.enabled} hint={words.enabledHint} />
    </PartCard>
  );
}

function OrganizationPart({ form }: Part) {
  return (
    <PartCard title={words.organization}>
      <div class="form-row">
        <TextField bound={form.bind('tags')} label={words.tags} hint={words.tagsHint} />
        <TextField bound={form.bind('externalId')} label={words.externalId} hint={words.externalIdHint} />
      </div>
      <TextAreaField bound={form.bind('note')} label={words.note} />
    </PartCard>
  );
}

function SchedulePart({ form }: Part) {
  const { afterEnd } = form.values;
  return (
    <PartCard title={words.schedule}>
      <div class="form-row">
        <TextField
          bound={form.bind('startsAt')}
          label={words.startsAt}
          hint={words.timesHint}
          type="datetime-local"
        />
        <TextField
          bound={form.bind('endsAt')}
          label={words.endsAt}
          hint={words.timesHint}
          type="datetime-local"
        />
      </div>
      <SelectField bound={form.bind('afterEnd')} label={words.afterEnd} options={words.afterEnds} />
      {afterEnd === 'url' && (
        <TextField bound={form.bind('afterEndUrl')} label={words.afterEndUrl} inputMode="url" />
      )}
    </PartCard>
  );
}

function HttpsPart({ form, base }: Part & { readonly base: Redirect }) {
  return (
    <PartCard title={words.https}>
      <SelectField bound={form.bind('httpsMode')} label={words.httpsMode} options={words.httpsModes} />
      <CheckField bound={form.bind('hsts')} label={words.hsts} />
      {form.values.hsts && (
        <>
          <TextField bound={form.bind('hstsMaxAge')} label={words.hstsMaxAge} inputMode="numeric" />
          <CheckField bound={form.bind('hstsIncludeSubDomains')} label={words.hstsIncludeSubDomains} />
          <CheckField bound={form.bind('hstsPreload')} label={words.hstsPreload} />
          {needsPreloadHost(form.values, base) && (
            <TextField
              bound={form.bind('hstsPreloadHost')}
              label={words.hstsPreloadHost(base.fromDomain)}
              hint={words.hstsPreloadHint}
            />
          )}
        </>
      )}
    </PartCard>
  );
}

function StatisticsPart({ form }: Part) {
  return (
    <PartCard title={words.statistics}>
      <div class="form-row">
        <TextField
          bound={form.bind('samplingRate')}
          label={words.samplingRate}
          hint={words.samplingRateHint}
          inputMode="decimal"
        />
        <SelectField
          bound={form.bind('queryRecording')}
          label={words.queryRecording}
          options={words.queryRecordings}
        />
      </div>
    </PartCard>
  );
}

function AdvancedPart({ form }: Part) {
  return (
    <PartCard title={words.advanced}>
      <TextField
        bound={form.bind('cacheSeconds')}
        label={words.cacheSeconds}
        hint={words.cacheSecondsHint}
        inputMode="numeric"
      />
      <TextAreaField
        bound={form.bind('responseHeaders')}
        label={words.responseHeaders}
        hint={words.responseHeadersHint}
      />
      <TextAreaField
        bound={form.bind('appendQuery')}
        label={words.appendQuery}
        hint={words.appendQueryHint}
      />
    </PartCard>
  );
}
