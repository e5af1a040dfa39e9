import { useId } from 'preact/hooks';
import { texts } from '../texts/texts';

/** Shows how much of a limit is used. @param limit -1: no limit */
export function Meter({
  label,
  used,
  limit,
}: {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
}) {
  const id = useId();
  const isLimited = limit >= 0;
  return (
    <div class="meter">
      <div class="meter-head">
        <span id={id}>{label}</span>
        <strong>{isLimited ? texts.account.plan.of(used, limit) : texts.shell.number(used)}</strong>
      </div>
      {isLimited ? (
        <progress aria-labelledby={id} value={Math.min(used, limit)} max={Math.max(1, limit)} />
      ) : (
        <span class="quiet">{texts.account.plan.unlimited}</span>
      )}
    </div>
  );
}
