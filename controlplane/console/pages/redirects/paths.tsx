import type { Schemas } from '@waymark/client';
import { useState } from 'preact/hooks';
import { useAddressFilter } from '../../components/address-filter';
import { Button, LinkButton } from '../../components/button';
import { CheckField, fieldsOf, SelectField } from '../../components/field';
import { Form } from '../../components/form';
import { Card } from '../../components/layout';
import { EmptyState, Loaded } from '../../components/messages';
import { PagedList } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';
import { Table } from '../../components/table';
import { useErrorToast, useToast } from '../../components/toasts';
import { type FormState, useForm } from '../../components/use-form';
import { type ShownEntry, usePathChanges, usePaths, useUnmatchedPaths } from '../../data/paths';
import { ExportLinks } from '../../features/imports/export-links';
import { ImportDialog } from '../../features/imports/import-dialog';
import { copyOf, PathDialog } from '../../features/paths/path-dialog';
import { PathTable } from '../../features/paths/path-table';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { paths: words } = texts;
const { options: optionWords, unmatched: unmatchedWords } = words;

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

/** A new entry with its initial source. */
interface NewEntry {
  readonly newSource: string;
}

/** Returns a function that deletes an entry immediately and offers to add it again. */
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

/** Edits the options of a table: how paths are compared, and the answer for paths without an entry. */
function OptionsCard({ id, options }: { readonly id: string; readonly options: Schemas.PathOptions }) {
  const { setOptions } = usePathChanges(id);
  const [initial] = useState(options);
  const toast = useToast();
  const form: FormState<Schemas.PathOptions> = useForm<Schemas.PathOptions>({
    initial,
    draft: `path-options-${id}`,
    async submit(values) {
      await setOptions(values);
      form.reset(values);
      toast({ text: optionWords.saved });
    },
  });
  const field = fieldsOf(form, optionWords);
  return (
    <Card title={optionWords.title}>
      <Form form={form} submit={optionWords.submit}>
        <SelectField {...field('unmatched')} options={optionWords.unmatchedChoices} />
        <CheckField {...field('ignoreCase')} />
        <CheckField {...field('ignoreTrailingSlash')} />
      </Form>
    </Card>
  );
}

/** Lists paths that visitors request and that no entry matches. @param onAdd opens a new entry for a path */
function UnmatchedCard({ id, onAdd }: { readonly id: string; readonly onAdd: (path: string) => void }) {
  const paths = useUnmatchedPaths(id);
  return (
    <Card title={unmatchedWords.title} lead={unmatchedWords.lead} flush>
      <Loaded query={paths}>
        {(list) => (
          <Table
            label={unmatchedWords.title}
            rows={list}
            keyOf={({ path }) => path}
            columns={[
              { text: unmatchedWords.path, class: 'break', cell: ({ path }) => <code>{path}</code> },
              { text: unmatchedWords.visits, class: 'number', cell: ({ hits }) => hits },
            ]}
            actions={({ path }) => (
              <Button small icon="plus" aria-label={unmatchedWords.addOne(path)} onClick={() => onAdd(path)}>
                {unmatchedWords.add}
              </Button>
            )}
            empty={<p class="card-note">{unmatchedWords.none}</p>}
          />
        )}
      </Loaded>
    </Card>
  );
}
