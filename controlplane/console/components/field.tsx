import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Receives what connects the control with label, hint and error. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** A control with its label above, and a hint or what is wrong below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** What `useForm` gives for a member of the form. */
export interface Bound<T> {
  readonly name: string;
  readonly value: T;
  readonly error: string | undefined;
  set(value: T): void;
}

interface Described {
  readonly label: string;
  readonly hint?: ComponentChildren;
}

type InputAttributes = Omit<JSX.IntrinsicElements['input'], 'label' | 'value' | 'name'>;

export function TextField({
  bound,
  label,
  hint,
  ...rest
}: Described & { bound: Bound<string> } & InputAttributes) {
  return (
    <Field label={label} hint={hint} error={bound.error}>
      {(control) => (
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          {...rest}
          {...control}
          class="input"
          name={bound.name}
          value={bound.value}
          onInput={({ currentTarget }) => bound.set(currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextAreaField({
  bound,
  label,
  hint,
  rows = 3,
}: Described & { readonly bound: Bound<string>; readonly rows?: number }) {
  return (
    <Field label={label} hint={hint} error={bound.error}>
      {(control) => (
        <textarea
          {...control}
          class="input"
          rows={rows}
          name={bound.name}
          value={bound.value}
          onInput={({ currentTarget }) => bound.set(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of one. `options` has the text of each value. */
export function SelectField<T extends string>({
  bound,
  label,
  hint,
  options,
}: Described & {
  readonly bound: Bound<T>;
  readonly options: Readonly<Record<NoInfer<T>, string>>;
}) {
  return (
    <Field label={label} hint={hint} error={bound.error}>
      {(control) => (
        <select
          {...control}
          class="input"
          name={bound.name}
          value={bound.value}
          onChange={({ currentTarget }) => bound.set(currentTarget.value as T)}
        >
          {Object.entries<string>(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A box to tick, with its label beside it. */
export function CheckField({ bound, label, hint }: Described & { readonly bound: Bound<boolean> }) {
  const id = useId();
  return (
    <div class="check">
      <input
        type="checkbox"
        id={id}
        name={bound.name}
        checked={bound.value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => bound.set(currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {bound.error && <p class="field-error">{bound.error}</p>}
      </div>
    </div>
  );
}
