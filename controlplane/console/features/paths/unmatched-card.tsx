import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { Table } from '../../components/table';
import { useUnmatchedPaths } from '../../data/paths';
import { texts } from '../../texts/texts';

const { unmatched: words } = texts.paths;

/** Paths that visitors request and that no entry decides. @param onAdd opens a new entry for a path */
export function UnmatchedCard({
  id,
  onAdd,
}: {
  readonly id: string;
  readonly onAdd: (path: string) => void;
}) {
  const paths = useUnmatchedPaths(id);
  return (
    <Card title={words.title} lead={words.lead} flush>
      <Loaded query={paths}>
        {(list) =>
          list.length === 0 ? (
            <p class="card-note">{words.none}</p>
          ) : (
            <Table
              label={words.title}
              rows={list}
              keyOf={({ path }) => path}
              columns={[
                { text: words.path, class: 'break', cell: ({ path }) => <code>{path}</code> },
                { text: words.visits, class: 'number', cell: ({ hits }) => hits },
                {
                  text: words.actions,
                  class: 'actions',
                  cell: ({ path }) => (
                    <Button small icon="plus" aria-label={words.addOne(path)} onClick={() => onAdd(path)}>
                      {words.add}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
