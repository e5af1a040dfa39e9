import { useSearchParams } from 'wouter-preact';

/** Returns the query parameters of the URL, and a function that sets some of them. null removes a parameter. */
export function useAddressParams() {
  const [params, setParams] = useSearchParams();
  function change(changed: Readonly<Record<string, string | null>>) {
    setParams(
      (former) => {
        const next = new URLSearchParams(former);
        for (const [name, value] of Object.entries(changed)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  }
  return [params, change] as const;
}

/** Returns the filters of a page. The URL holds them, so users can share a view. '' does not filter. */
export function useAddressFilter<Name extends string>(...names: readonly Name[]) {
  const [params, setParams] = useAddressParams();
  const filter = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<
    Name,
    string
  >;
  const change = (changed: Partial<Record<Name, string>>) =>
    setParams(
      Object.fromEntries(
        Object.entries(changed as Record<string, string>).map(([name, value]) => [name, value || null]),
      ),
    );
  return [filter, change] as const;
}
