import type { ComponentChildren } from 'preact';
import { type Bound, Field } from './field';

/** Chooses a file, also by dropping one on it. */
export function FileField({
  bound,
  label,
  hint,
}: {
  readonly bound: Bound<File | undefined>;
  readonly label: string;
  readonly hint?: ComponentChildren;
}) {
  return (
    <Field label={label} hint={hint} error={bound.error}>
      {(control) => (
        <input
          {...control}
          type="file"
          class="input file"
          name={bound.name}
          data-autofocus
          onChange={({ currentTarget }) => bound.set(currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}
