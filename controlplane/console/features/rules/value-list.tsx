import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { InputField } from '../../components/field';
import { texts } from '../../texts/texts';

const { form: words } = texts.rules;

/** Several values, each with a button that removes it. Enter, a comma or leaving the field adds what is typed. */
export function ValueList({
  label,
  values,
  suggestions,
  suggested,
  listId,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly string[];
  readonly suggestions: ComponentChildren;
  /** Values of the suggestions, which may contain commas. */
  readonly suggested: ReadonlySet<string>;
  readonly listId: string;
  readonly onChange: (values: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState('');
  const chosen = values.filter((value) => value !== '');

  function add() {
    const typedValues = suggested.has(typed) ? [typed] : typed.split(/[,\n]/);
    const added = typedValues
      .map((value) => value.trim())
      .filter((value) => value !== '' && !chosen.includes(value));
    setTyped('');
    if (added.length > 0) onChange([...chosen, ...added]);
  }

  return (
    <div class="value-list">
      <InputField
        label={label}
        list={listId}
        placeholder={words.addValue}
        value={typed}
        onText={setTyped}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ',') return;
          event.preventDefault();
          add();
        }}
      />
      {suggestions}
      <ul class="chips">
        {chosen.map((value) => (
          <li key={value} class="chip">
            {value}
            <Button
              small
              icon="close"
              label={words.removeValue(value)}
              onClick={() => onChange(chosen.filter((other) => other !== value))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
