import { useSearchParams } from 'wouter-preact';

/** Filters of a page. They stand in the address, so that a view can be shared. '' does not filter. */
export function useAddressFilter<Name extends string>(...names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const filter = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<
    Name,
    string
  >;
  const change = (changed: Partial<Record<Name, string>>) => {
    const all: Record<string, string> = { ...filter, ...changed };
    setParams(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')), { replace: true });
  };
  return [filter, change] as const;
}
