import type { Schemas } from '@waymark/client';
import { Link, useLocation } from 'wouter-preact';
import { fieldsOf, SelectField, TextField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { EmptyState, Loaded } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { Table } from '../../components/table';
import { dateText, timeText } from '../../components/times';
import { useForm } from '../../components/use-form';
import { useDraft } from '../../data/drafts';
import { useVersions } from '../../data/history';
import { type NewReplay, useReplay, useReplays, useStartReplay } from '../../data/replay';
import { versionOption } from '../../features/history/version-option';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { ReplayResult } from '../../features/replay/replay-result';
import { ReplayState } from '../../features/replay/replay-state';
import { dateOf } from '../../features/statistics/address-state';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { form: formWords, list: listWords, percent } = texts.replay;
const WEEK_MS = 7 * 86_400_000;

export default function ReplayPage({ redirect: { id }, params: { replayId } }: RedirectPageProps) {
  return replayId === undefined ? <Start id={id} /> : <Result replayId={replayId} />;
}

function Start({ id }: { readonly id: string }) {
  const draft = useDraft(id);
  return (
    <>
      <div class="narrow">
        <Loaded query={draft}>{(stored) => <StartForm id={id} hasDraft={stored !== null} />}</Loaded>
      </div>
      <ReplayList id={id} />
    </>
  );
}

function Result({ replayId }: { readonly replayId: string }) {
  const replay = useReplay(replayId);
  return <Loaded query={replay}>{(data) => <ReplayResult replay={data} />}</Loaded>;
}

interface Values {
  readonly what: keyof typeof formWords.whats;
  readonly version: string;
  readonly start: string;
  readonly end: string;
  readonly sample: string;
}

/** A form to choose the definition and the visits of a replay. */
function StartForm({ id, hasDraft }: { readonly id: string; readonly hasDraft: boolean }) {
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
  const field = fieldsOf(form, formWords);
  return (
    <Card title={formWords.title} lead={texts.replay.lead}>
      <Form form={form} submit={formWords.submit} look="primary">
        <SelectField
          {...field('what')}
          options={formWords.whats}
          hint={form.values.what === 'draft' && !hasDraft ? formWords.noDraft : undefined}
        />
        {form.values.what === 'version' && (
          <SelectField {...field('version')} options={versions.map(versionOption)} />
        )}
        <div class="form-row">
          <TextField {...field('start')} type="date" />
          <TextField {...field('end')} type="date" />
        </div>
        <TextField {...field('sample')} inputMode="numeric" />
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

/** Lists earlier replays of a redirect with their results. */
function ReplayList({ id }: { readonly id: string }) {
  const { columns } = listWords;
  return (
    <PagedList
      query={useReplays(id)}
      title={listWords.title}
      empty={<EmptyState {...listWords.empty} icon="clock" />}
    >
      {(replays) => (
        <Table
          label={listWords.title}
          rows={replays}
          keyOf={(replay) => replay.id}
          columns={[
            {
              text: columns.created,
              class: 'no-wrap',
              cell: ({ id: replayId, createdAt }) => (
                <Link href={routes.replay(id, replayId)} aria-label={listWords.open(timeText(createdAt))}>
                  {timeText(createdAt)}
                </Link>
              ),
            },
            { text: columns.what, cell: whatText },
            {
              text: columns.period,
              cell: ({ start, end }) => listWords.span(dateText(start), dateText(end)),
            },
            { text: columns.state, cell: ({ state }) => <ReplayState state={state} /> },
            { text: columns.changed, class: 'number', cell: changedText },
          ]}
        />
      )}
    </PagedList>
  );
}

function whatText({ draft, version }: Schemas.ListedReplay): string {
  return listWords.what(
    listWords.whats[draft ?? 'version'],
    version === null ? '' : texts.shell.number(version),
  );
}

function changedText({ state, visits: { changed, replayed } }: Schemas.ListedReplay): string {
  if (state !== 'finished') return '';
  return `${texts.shell.number(changed)} (${percent(replayed === 0 ? 0 : changed / replayed)})`;
}
