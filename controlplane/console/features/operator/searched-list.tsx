import type { ComponentChildren } from 'preact';
import { useAddressFilter } from '../../components/address-filter';
import { EmptyState } from '../../components/messages';
import { PagedList, type PagedQuery } from '../../components/paged-list';
import { AddressSearch } from '../../components/search-field';

interface Words {
  readonly lead: string;
  readonly search: string;
  readonly none: { readonly title: string; readonly body: string };
  readonly nothingFound: string;
}

/** A list for the operator with a search field. The URL has the search text. */
export function SearchedList<T>({
  words,
  useRows,
  children,
}: {
  readonly words: Words;
  readonly useRows: (search: string) => PagedQuery<T>;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}) {
  const [{ search }] = useAddressFilter('search');
  return (
    <>
      <p class="lead">{words.lead}</p>
      <AddressSearch label={words.search} />
      <PagedList
        query={useRows(search)}
        empty={
          search === '' ? (
            <EmptyState {...words.none} icon="check" />
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
