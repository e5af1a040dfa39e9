import { useMemo } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import type { RedirectFilter, Sort } from '../../data/redirects';
import { texts } from '../../texts/texts';

const isSort = (value: string | null): value is keyof typeof texts.redirects.sorts & Sort =>
  value !== null && value in texts.redirects.sorts;

/** Search, filters and sort of the list. They stand in the address, so that a view can be shared. */
export function useRedirectFilter() {
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const status = params.get('status') ?? '';
  const tag = params.get('tag') ?? '';
  const asked = params.get('sort');
  const sort: Sort = isSort(asked) ? asked : '-createdAt';
  const filter = useMemo<RedirectFilter>(() => ({ search, status, tag, sort }), [search, status, tag, sort]);

  return {
    filter,
    isFiltered: search !== '' || status !== '' || tag !== '',
    isCreating: params.get('new') === '1',
    change(changed: Readonly<Record<string, string>>) {
      setParams(
        (former) => {
          const next = new URLSearchParams(former);
          for (const [name, value] of Object.entries(changed)) {
            if (value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      );
    },
  };
}
