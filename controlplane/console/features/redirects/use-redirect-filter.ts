import { useMemo } from 'preact/hooks';
import { useAddressFilter } from '../../components/address-filter';
import type { RedirectFilter, Sort } from '../../data/redirects';
import { texts } from '../../texts/texts';

const isSort = (value: string): value is keyof typeof texts.redirects.sorts & Sort =>
  value in texts.redirects.sorts;

/** Search, filters and sort of the list. They stand in the address, so that a view can be shared. */
export function useRedirectFilter() {
  const [asked, change] = useAddressFilter('search', 'status', 'tag', 'sort', 'new');
  const { search, status, tag } = asked;
  const sort: Sort = isSort(asked.sort) ? asked.sort : '-createdAt';
  const filter = useMemo<RedirectFilter>(() => ({ search, status, tag, sort }), [search, status, tag, sort]);
  return {
    filter,
    isFiltered: search !== '' || status !== '' || tag !== '',
    isCreating: asked.new === '1',
    change,
  };
}
