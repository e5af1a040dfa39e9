import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { TableFrame } from '../../components/table-frame';
import type { ExperimentNumbers } from '../../data/experiments';
import { texts } from '../../texts/texts';

const { experiments: words } = texts;

/** All numbers of the variants. */
export function VariantTable({
  label,
  numbers,
}: {
  readonly label: string;
  readonly numbers: ExperimentNumbers;
}) {
  const { columns } = words;
  const hasRevenue = numbers.variants.some(({ revenue }) => revenue !== null);
  const number = (text: string) => ({ text, isNumber: true });
  return (
    <TableFrame
      label={label}
      columns={[
        columns.variant,
        ...[columns.visitors, columns.conversions, columns.rate, columns.lift, columns.best].map(number),
        ...(hasRevenue ? [number(columns.revenue)] : []),
      ]}
    >
      {numbers.variants.map((variant) => (
        <tr key={variant.name}>
          <td>
            {variant.name} {variant.name === numbers.baseline && <Badge>{words.rates.baseline}</Badge>}
          </td>
          <td class="number">{texts.shell.number(variant.visitors)}</td>
          <td class="number">{texts.shell.number(variant.conversions)}</td>
          <td class="number">
            {words.percent(variant.rate)}
            <br />
            <span class="quiet">{words.rates.interval(...variant.interval)}</span>
          </td>
          <td class="number">
            <Lift variant={variant} />
          </td>
          <td class="number">{words.percent(variant.probabilityBest, 1)}</td>
          {hasRevenue && (
            <td class="number">
              <Revenue revenue={variant.revenue} />
            </td>
          )}
        </tr>
      ))}
    </TableFrame>
  );
}

function Revenue({ revenue }: Pick<Schemas.ExperimentVariant, 'revenue'>) {
  const { number } = texts.shell;
  return (
    <>
      {number(revenue?.perVisitor ?? 0)}
      {revenue?.interval && (
        <>
          <br />
          <span class="quiet">{revenue.interval.map(number).join(' … ')}</span>
        </>
      )}
    </>
  );
}

function Lift({ variant: { lift, liftInterval } }: { readonly variant: Schemas.ExperimentVariant }) {
  if (lift === null) return <span class="quiet">{words.none}</span>;
  return (
    <>
      {words.signed(lift)}
      {liftInterval && (
        <>
          <br />
          <span class="quiet">{liftInterval.map(words.signed).join(' … ')}</span>
        </>
      )}
    </>
  );
}
