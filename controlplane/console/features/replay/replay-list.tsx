import type { Schemas } from '@waymark/client';
import { Link } from 'wouter-preact';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { Table } from '../../components/table';
import { dateText, timeText } from '../../components/times';
import { useReplays } from '../../data/replay';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ReplayState } from './replay-state';

const { list: words, percent } = texts.replay;

/** Former replays of a redirect, with their results. */
export function ReplayList({ id }: { readonly id: string }) {
  const { columns } = words;
  return (
    <PagedList
      query={useReplays(id)}
      title={words.title}
      empty={<EmptyState {...words.empty} icon="clock" />}
    >
      {(replays) => (
        <Table
          label={words.title}
          rows={replays}
          keyOf={(replay) => replay.id}
          columns={[
            {
              text: columns.created,
              class: 'no-wrap',
              cell: ({ id: replayId, createdAt }) => (
                <Link href={routes.replay(id, replayId)} aria-label={words.open(timeText(createdAt))}>
                  {timeText(createdAt)}
                </Link>
              ),
            },
            { text: columns.what, cell: whatText },
            { text: columns.period, cell: ({ start, end }) => words.span(dateText(start), dateText(end)) },
            { text: columns.state, cell: ({ state }) => <ReplayState state={state} /> },
            { text: columns.changed, class: 'number', cell: changedText },
          ]}
        />
      )}
    </PagedList>
  );
}

function whatText({ draft, version }: Schemas.ListedReplay): string {
  return words.what(words.whats[draft ?? 'version'], version === null ? '' : texts.shell.number(version));
}

function changedText({ state, visits: { changed, replayed } }: Schemas.ListedReplay): string {
  if (state !== 'finished') return '';
  return `${texts.shell.number(changed)} (${percent(replayed === 0 ? 0 : changed / replayed)})`;
}
