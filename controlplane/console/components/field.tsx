import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { type OptionList, Select } from './select';
import type { FormState } from './use-form';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** Receives the attributes that connect the control with label, hint and error. */
  readonly children: (control: ControlAttributes) => ComponentChildren;
}

interface ControlAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** A control with its label above, and a hint or an error below. */
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

/** Value and error of a member of the form, as `useForm` returns them. */
export interface Bound<T> {
  readonly name: string;
  readonly value: T;
  readonly error: string | undefined;
  set(value: T): void;
}

/** Names of those members of `W` that are strings. */
type Labels<W> = { [Name in keyof W]: W[Name] extends string ? Name : never }[keyof W];

/** Returns a function that binds a field of a form. The texts `name` and `nameHint` of `words` are its label and hint. */
export function fieldsOf<V, W extends object>(form: FormState<V>, words: W) {
  return <Name extends keyof V & Labels<W> & string>(name: Name) => ({
    bound: form.bind(name),
    label: words[name] as string,
    hint: (words as Readonly<Record<string, string>>)[`${name}Hint`],
  });
}

/** Error of a field that the console detects before it calls the API. `submit` throws it. */
export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

interface Described {
  readonly label: string;
  readonly hint?: ComponentChildren;
}

type InputAttributes = Omit<JSX.IntrinsicElements['input'], 'label' | 'value' | 'name'>;

/** A field for one line of text. */
export function InputField({
  label,
  hint,
  error,
  onText,
  ...rest
}: Described & {
  readonly value: string;
  readonly name?: string;
  readonly error?: string | undefined;
  readonly onText: (text: string) => void;
} & InputAttributes) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          {...rest}
          {...control}
          class="input"
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextField({ bound, ...rest }: Described & { bound: Bound<string> } & InputAttributes) {
  const { name, value, error, set } = bound;
  return <InputField {...rest} name={name} value={value} error={error} onText={set} />;
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

/** A field to choose one value. `options` has the text of each value. */
export function SelectField<T extends string>({
  bound,
  label,
  hint,
  options,
}: Described & {
  readonly bound: Bound<T>;
  readonly options: Readonly<Record<NoInfer<T>, string>> | OptionList;
}) {
  return (
    <Field label={label} hint={hint} error={bound.error}>
      {(control) => (
        <Select
          {...control}
          name={bound.name}
          value={bound.value}
          options={options}
          onChoose={(value) => bound.set(value as T)}
        />
      )}
    </Field>
  );
}

/** A checkbox with its label. */
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

/** Several checkboxes for one member of a form. */
export function Choices({
  bound,
  label,
  options,
}: {
  readonly bound: Bound<readonly string[]>;
  readonly label: string;
  readonly options: readonly string[];
}) {
  function toggle(option: string, isChosen: boolean) {
    bound.set(options.filter((other) => (other === option ? isChosen : bound.value.includes(other))));
  }
  return (
    <fieldset>
      <legend class="legend">{label}</legend>
      <div class="choices">
        {options.map((option) => (
          <label key={option} class="choice">
            <input
              type="checkbox"
              name={bound.name}
              checked={bound.value.includes(option)}
              onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
            />
            {option}
          </label>
        ))}
      </div>
      {bound.error && <p class="field-error">{bound.error}</p>}
    </fieldset>
  );
}

/** A field to choose a file. Users can also drop a file on it. */
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
