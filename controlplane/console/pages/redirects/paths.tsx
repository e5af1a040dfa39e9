import { useState } from 'preact/hooks';
import { useAddressFilter } from '../../components/address-filter';
import { Button, LinkButton } from '../../components/button';
import { EmptyState } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';
import { useErrorToast, useToast } from '../../components/toasts';
import { type ShownEntry, usePathChanges, usePaths } from '../../data/paths';
import { ExportLinks } from '../../features/imports/export-links';
import { ImportDialog } from '../../features/imports/import-dialog';
import { OptionsCard } from '../../features/paths/options-card';
import { copyOf, PathDialog } from '../../features/paths/path-dialog';
import { PathTable } from '../../features/paths/path-table';
import { UnmatchedCard } from '../../features/paths/unmatched-card';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { paths: words } = texts;

export default function PathsPage({ redirect: { id } }: RedirectPageProps) {
  const [{ search }] = useAddressFilter('search');
  const [open, setOpen] = useState<ShownEntry | NewEntry>();
  const [isImporting, setImporting] = useState(false);
  const list = usePaths(id, search);
  const remove = useRemoval(id);
  const isEmpty = list.data?.pages[0]?.data.length === 0;
  const options = list.data?.pages[0]?.options;
  const add = (
    <>
      <Button icon="transfer" onClick={() => setImporting(true)}>
        {words.import}
      </Button>
      <LinkButton to={routes.stagedPaths(id)}>{words.staged.open}</LinkButton>
      <Button look="primary" icon="plus" onClick={() => setOpen({ newSource: '' })}>
        {words.add}
      </Button>
    </>
  );
  return (
    <>
      {(!isEmpty || search !== '') && <AddressSearch label={words.search}>{add}</AddressSearch>}
      <PagedList
        query={list}
        empty={
          search === '' ? (
            <EmptyState {...words.empty} icon="route">
              {add}
            </EmptyState>
          ) : (
            <p class="loading">{words.nothingFound}</p>
          )
        }
      >
        {(entries) => <PathTable entries={entries} onEdit={setOpen} onDelete={remove} />}
      </PagedList>
      <div class="columns">
        <UnmatchedCard id={id} onAdd={(path) => setOpen({ newSource: path })} />
        <div class="stack">
          {options && <OptionsCard id={id} options={options} />}
          <ExportLinks words={texts.imports.pathExports} path={`/exports/redirects/${id}/paths`} />
        </div>
      </div>
      {isImporting && <ImportDialog redirectId={id} onClose={() => setImporting(false)} />}
      {open && (
        <PathDialog
          id={id}
          {...('newSource' in open ? { entry: undefined, source: open.newSource } : { entry: open })}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** A new entry and the source that it begins with. */
interface NewEntry {
  readonly newSource: string;
}

/** Deletes an entry at once and offers to add it again. */
function useRemoval(id: string) {
  const { add, remove } = usePathChanges(id);
  const toast = useToast();
  const fail = useErrorToast();
  return (entry: ShownEntry) =>
    void remove(entry.id).then(
      () =>
        toast({
          text: words.deleted(entry.source),
          undo: () => void add(copyOf(entry)).then(() => toast({ text: words.restored(entry.source) }), fail),
        }),
      fail,
    );
}
