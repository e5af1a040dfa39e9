import type { Schemas } from '@waymark/client';
import { Link } from 'wouter-preact';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { TableFrame } from '../../components/table-frame';
import { dateText, timeText } from '../../components/times';
import { useReplays } from '../../data/replay';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';
import { ReplayState } from './replay-state';

const { list: words, percent } = texts.replay;

/** Former replays of a redirect, with their results. */
export function ReplayList({ id }: { readonly id: string }) {
  const { created, what, period, state, changed } = words.columns;
  return (
    <PagedList
      query={useReplays(id)}
      title={words.title}
      empty={<EmptyState title={words.empty.title} body={words.empty.body} icon="clock" />}
    >
      {(replays) => (
        <TableFrame
          label={words.title}
          columns={[created, what, period, state, { text: changed, isNumber: true }]}
        >
          {replays.map((replay) => (
            <tr key={replay.id}>
              <td class="no-wrap">
                <Link href={routes.replay(id, replay.id)} aria-label={words.open(timeText(replay.createdAt))}>
                  {timeText(replay.createdAt)}
                </Link>
              </td>
              <td>{whatText(replay)}</td>
              <td>{words.span(dateText(replay.start), dateText(replay.end))}</td>
              <td>
                <ReplayState state={replay.state} />
              </td>
              <td class="number">{changedText(replay)}</td>
            </tr>
          ))}
        </TableFrame>
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
