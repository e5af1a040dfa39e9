import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAddressFilter } from './address-filter';
import { useDelayed } from './use-delayed';

const TYPING_MS = 250;

/** A search field that reports its text after a pause in typing. */
export function SearchField({
  value,
  label,
  onChange,
}: {
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const settled = useDelayed(typed, TYPING_MS);
  useEffect(() => {
    if (settled !== value) onChange(settled);
  }, [settled]);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={label}
      spellcheck={false}
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}

/** A search field whose text is in the URL as `search`. @param children shown beside the field */
export function AddressSearch({
  label,
  children,
}: {
  readonly label: string;
  readonly children?: ComponentChildren;
}) {
  const [{ search }, change] = useAddressFilter('search');
  return (
    <div class="filters">
      <SearchField label={label} value={search} onChange={(text) => change({ search: text })} />
      {children}
    </div>
  );
}
