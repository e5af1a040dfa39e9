import { useLocation } from 'wouter-preact';
import { SelectField, TextField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { useForm } from '../../components/use-form';
import { useVersions } from '../../data/history';
import { type NewReplay, useStartReplay } from '../../data/replay';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { versionOption } from '../history/version-option';
import { dateOf } from '../statistics/use-period';

const { form: words } = texts.replay;
const WEEK_MS = 7 * 86_400_000;

interface Values {
  readonly what: keyof typeof words.whats;
  readonly version: string;
  readonly start: string;
  readonly end: string;
  readonly sample: string;
}

/** Chooses the definition that judges visits, and the visits. */
export function StartForm({ id, hasDraft }: { readonly id: string; readonly hasDraft: boolean }) {
  const [, navigate] = useLocation();
  const start = useStartReplay(id);
  const versions = useVersions(id).data?.pages.flatMap(({ data }) => data) ?? [];
  const form = useForm<Values>({
    initial: {
      what: hasDraft ? 'draft' : 'current',
      version: '',
      start: dateOf(new Date(Date.now() - WEEK_MS)),
      end: dateOf(new Date()),
      sample: '',
    },
    async submit(values) {
      const replay = await start.mutateAsync(bodyOf(values, versions[0]?.version ?? 1));
      navigate(routes.replay(id, replay.id));
    },
  });
  return (
    <Card title={words.title} lead={texts.replay.lead}>
      <Form form={form} submit={words.submit} look="primary">
        <SelectField
          bound={form.bind('what')}
          label={words.what}
          options={words.whats}
          hint={form.values.what === 'draft' && !hasDraft ? words.noDraft : undefined}
        />
        {form.values.what === 'version' && (
          <SelectField
            bound={form.bind('version')}
            label={words.version}
            options={versions.map(versionOption)}
          />
        )}
        <div class="form-row">
          <TextField bound={form.bind('start')} label={words.start} type="date" />
          <TextField bound={form.bind('end')} label={words.end} type="date" />
        </div>
        <TextField
          bound={form.bind('sample')}
          label={words.sample}
          hint={words.sampleHint}
          inputMode="numeric"
        />
      </Form>
    </Card>
  );
}

function bodyOf({ what, version, start, end, sample }: Values, newest: number): NewReplay {
  return {
    ...(what === 'draft' && { draft: true as const }),
    ...(what === 'version' && { version: version === '' ? newest : Number(version) }),
    start,
    end,
    ...(sample.trim() !== '' && { sample: Number(sample) }),
  };
}
