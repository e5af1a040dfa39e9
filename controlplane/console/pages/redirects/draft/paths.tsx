import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAddressFilter } from '../../../components/address-filter';
import { Button } from '../../../components/button';
import { Card } from '../../../components/layout';
import { ErrorNote, Loaded } from '../../../components/messages';
import { AddressSearch } from '../../../components/search-field';
import { useToast } from '../../../components/toasts';
import { type DraftContent, useDraft, useDraftChanges } from '../../../data/drafts';
import type { PathChanges, ShownEntry } from '../../../data/paths';
import { inPart } from '../../../features/drafts/in-part';
import { EditConflict, mergedInto, placeOf } from '../../../features/drafts/merged-item';
import { copyOf, NEW_ENTRY, PathDialog } from '../../../features/paths/path-dialog';
import { PathTable } from '../../../features/paths/path-table';
import type { RedirectPageProps } from '../../../features/redirects/redirect-frame';
import { routes } from '../../../routing/routes';
import { texts } from '../../../texts/texts';

const { drafts, paths: pathWords } = texts;
const { paths: words } = drafts;
const MAX_SHOWN = 200;

export default function DraftPathsPage({ redirect: { id } }: RedirectPageProps) {
  const draft = useDraft(id);
  return (
    <Loaded query={draft}>
      {(stored) =>
        // Without a drafted table, added entries would replace the whole live table.
        stored?.paths === undefined ? (
          <>
            <Link href={routes.redirectPart(id, 'draft')} class="back">
              {drafts.backToDraft}
            </Link>
            <p>{words.none}</p>
          </>
        ) : (
          <DraftPaths id={id} entries={stored.paths.entries} />
        )
      }
    </Loaded>
  );
}

function DraftPaths({ id, entries }: { readonly id: string; readonly entries: readonly PathChanges[] }) {
  const [{ search }] = useAddressFilter('search');
  const { edit } = useDraftChanges(id);
  /** The edited entry. `base` is the entry when the form was opened, or its later state that a conflict has shown. */
  const [open, setOpen] = useState<{ readonly place: number; readonly base: PathChanges | undefined }>();
  const [problem, setProblem] = useState<unknown>();
  const shown = entries
    .map(shownEntry)
    .filter(({ source, destination }) => `${source} ${destination}`.includes(search));
  const toast = useToast();
  /** Deletes an entry immediately, and offers to undo this. */
  const remove = ({ id: place, source }: ShownEntry) => {
    setProblem(undefined);
    const removed = entries[place];
    if (removed === undefined) return;
    const undo = () =>
      void change((list) => [...list.slice(0, place), removed, ...list.slice(place)]).catch(setProblem);
    void change((list) => list.filter((_, other) => other !== placeOf(list, removed, place))).then(
      () => toast({ text: pathWords.deleted(source), undo }),
      setProblem,
    );
  };
  const change = (changed: (entries: readonly PathChanges[]) => readonly PathChanges[]) =>
    edit((content) => withEntries(content, changed(content.paths?.entries ?? [])));
  async function save(body: PathChanges): Promise<void> {
    const { place, base } = open ?? { place: entries.length, base: undefined };
    const merged = (list: readonly PathChanges[]) =>
      base === undefined
        ? [...list, body]
        : mergedInto(list, { base, former: place, changed: changesOf(base, body) }, words.conflict);
    try {
      await inPart(`paths.entries.${place}`, change(merged));
    } catch (error) {
      // The form stays open. Saving again overwrites the changes by others.
      if (error instanceof EditConflict) setOpen({ place, base: error.theirs as PathChanges | undefined });
      throw error;
    }
  }
  return (
    <>
      <Link href={routes.redirectPart(id, 'draft')} class="back">
        {drafts.backToDraft}
      </Link>
      <h2>{words.formTitle}</h2>
      <AddressSearch label={pathWords.search}>
        <Button
          look="primary"
          icon="plus"
          onClick={() => setOpen({ place: entries.length, base: undefined })}
        >
          {pathWords.add}
        </Button>
      </AddressSearch>
      <ErrorNote error={problem} />
      <Card flush>
        {shown.length === 0 ? (
          <p class="loading">{search === '' ? words.total(0) : pathWords.nothingFound}</p>
        ) : (
          <PathTable
            entries={shown.slice(0, MAX_SHOWN)}
            onEdit={({ id: place }) => setOpen({ place, base: entries[place] })}
            onDelete={remove}
          />
        )}
      </Card>
      {shown.length > MAX_SHOWN && <p class="quiet">{words.cut(MAX_SHOWN, shown.length)}</p>}
      {open !== undefined && (
        <PathDialog
          id={id}
          entry={open.base && shownEntry(open.base, open.place)}
          save={save}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** Converts an entry for the table. Its index is its id. */
const shownEntry = (entry: PathChanges, place: number): ShownEntry => ({ ...NEW_ENTRY, ...entry, id: place });

/** Returns the members that the user has changed. */
function changesOf(base: PathChanges, body: PathChanges): PathChanges {
  const shown = copyOf(shownEntry(base, 0)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => JSON.stringify(shown[name]) !== JSON.stringify(value)),
  );
}

const withEntries = (content: DraftContent, entries: readonly PathChanges[]): DraftContent => ({
  ...content,
  paths: { ...content.paths, entries },
});
