import type { JSX } from 'preact';

/** Text of each value. This is a list because an object would put numeric values first. */
export type OptionList = readonly (readonly [value: string, text: string])[];
export type Options = Readonly<Record<string, string>> | OptionList;

interface Props extends Omit<JSX.IntrinsicElements['select'], 'value' | 'onChange'> {
  readonly value: string | undefined;
  readonly options: Options;
  readonly onChoose: (value: string) => void;
}

/** A native select for one value. */
export function Select({ options, onChoose, ...rest }: Props) {
  const entries = Array.isArray(options)
    ? options
    : Object.entries<string>(options as Record<string, string>);
  return (
    <select class="input" {...rest} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {entries.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
