import type { Bound } from './field';

/** Several boxes to tick for one member of a form. */
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
