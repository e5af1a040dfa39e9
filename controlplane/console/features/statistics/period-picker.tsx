import { Select } from '../../components/select';
import { texts } from '../../texts/texts';
import type { usePeriod } from './use-period';

const { period: words } = texts.statistics;

/** Chooses the period: a number of days, or any two dates. */
export function PeriodPicker({ state }: { readonly state: ReturnType<typeof usePeriod> }) {
  const { period, name, choose, change } = state;
  return (
    <div class="period">
      <Select aria-label={words.label} value={name} options={words.names} onChoose={choose} />
      {name === 'custom' && (
        <>
          <input
            class="input"
            type="date"
            aria-label={words.from}
            value={period.start}
            max={period.end}
            onChange={({ currentTarget }) =>
              currentTarget.value && change({ from: currentTarget.value, page: null })
            }
          />
          <input
            class="input"
            type="date"
            aria-label={words.to}
            value={period.end}
            min={period.start}
            onChange={({ currentTarget }) =>
              currentTarget.value && change({ to: currentTarget.value, page: null })
            }
          />
        </>
      )}
    </div>
  );
}
