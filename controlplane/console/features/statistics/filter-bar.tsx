import { Button } from '../../components/button';
import type { HitConditions } from '../../data/statistics';
import { texts } from '../../texts/texts';
import { countryName } from './ranked-rows';

const { filters: words } = texts.statistics;

/** The conditions that filter all statistics of the page. */
export function FilterBar({
  conditions,
  ruleName,
  onRemove,
}: {
  readonly conditions: HitConditions;
  /** Name of the rule that filters. */
  readonly ruleName: string | undefined;
  readonly onRemove: (conditions: HitConditions) => void;
}) {
  const set = Object.entries(conditions) as [keyof HitConditions, string][];
  if (set.length === 0) return null;
  const valueText = (name: keyof HitConditions, value: string) => {
    if (name === 'country') return countryName(value);
    return name === 'ruleId' ? (ruleName ?? value) : value || words.none;
  };
  return (
    <section class="button-row" aria-label={words.label}>
      {set.map(([name, value]) => {
        const text = words.text(words.names[name], valueText(name, value));
        return (
          <Button
            key={name}
            small
            icon="close"
            aria-label={words.clear(text)}
            onClick={() => onRemove({ [name]: value })}
          >
            <span class="filter-text">{text}</span>
          </Button>
        );
      })}
      {set.length > 1 && (
        <Button small look="quiet" onClick={() => onRemove(conditions)}>
          {words.clearAll}
        </Button>
      )}
    </section>
  );
}
