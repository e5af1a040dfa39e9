import type { ComponentChildren } from 'preact';
import { EmptyState } from '../../components/messages';
import { PagedList, type PagedQuery } from '../../components/paged-list';
import { useAddressFilter } from '../../components/use-address-filter';
import { SearchField } from '../redirects/redirect-filters';

interface Words {
  readonly lead: string;
  readonly search: string;
  readonly none: { readonly title: string; readonly body: string };
  readonly nothingFound: string;
}

/** A list of the operator with a search, whose text is in the URL. */
export function SearchedList<T>({
  words,
  useRows,
  children,
}: {
  readonly words: Words;
  readonly useRows: (search: string) => PagedQuery<T>;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}) {
  const [{ search }, setFilter] = useAddressFilter('search');
  return (
    <>
      <p class="lead">{words.lead}</p>
      <div class="filters">
        <SearchField label={words.search} value={search} onChange={(text) => setFilter({ search: text })} />
      </div>
      <PagedList
        query={useRows(search)}
        empty={
          search === '' ? (
            <EmptyState title={words.none.title} body={words.none.body} icon="check" />
          ) : (
            <p class="loading">{words.nothingFound}</p>
          )
        }
      >
        {children}
      </PagedList>
    </>
  );
}
