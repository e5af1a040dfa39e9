import type { Import } from '@waymark/client';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from '../components/button';
import { Card, PageHead } from '../components/layout';
import { EmptyState, Loaded } from '../components/messages';
import { Table } from '../components/table';
import { agoText } from '../components/times';
import { useImports } from '../data/imports';
import { ExportLinks } from '../features/imports/export-links';
import { ImportDialog } from '../features/imports/import-dialog';
import { ImportStateBadge } from '../features/imports/import-state';
import { routes } from '../routing/routes';
import { texts } from '../texts/texts';

const { imports: words } = texts;

export default function ImportsPage() {
  const imports = useImports();
  const [isChoosing, setChoosing] = useState(false);
  const start = (
    <Button look="primary" icon="plus" onClick={() => setChoosing(true)}>
      {words.start}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title} actions={start}>
        <p class="lead">{words.lead}</p>
      </PageHead>
      <div class="columns">
        <Loaded query={imports}>
          {({ data }) =>
            data.length === 0 ? (
              <Card>
                <EmptyState {...words.list.empty} icon="transfer" />
              </Card>
            ) : (
              <Card title={words.list.title} lead={words.list.kept} flush>
                <ImportTable imports={data} />
              </Card>
            )
          }
        </Loaded>
        <div class="stack">
          <ExportLinks words={words.exports} path="/exports/redirects" />
        </div>
      </div>
      {isChoosing && <ImportDialog onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Lists imports, newest first. */
function ImportTable({ imports }: { readonly imports: readonly Import[] }) {
  const { columns } = words.list;
  return (
    <Table
      label={words.list.title}
      rows={imports}
      keyOf={({ id }) => id}
      columns={[
        {
          text: columns.import,
          cell: ({ id, kind, format, dryRun }) => (
            <Link href={routes.import(id)}>
              {words.kinds[kind]}, {format}
              {dryRun && `, ${words.check}`}
            </Link>
          ),
        },
        { text: columns.state, cell: ({ state }) => <ImportStateBadge state={state} /> },
        { text: columns.rows, class: 'number', cell: ({ rows }) => rows.total },
        { text: columns.failed, class: 'number', cell: ({ rows }) => rows.failed },
        { text: columns.created, cell: ({ createdAt }) => agoText(createdAt) },
      ]}
    />
  );
}
