import type { Schemas } from '@waymark/client';
import { Badge } from '../../components/badge';
import { Table } from '../../components/table';
import type { ExperimentNumbers } from '../../data/experiments';
import { texts } from '../../texts/texts';

const { experiments: words } = texts;

/** Shows all numbers of the variants. */
export function VariantTable({
  label,
  numbers,
}: {
  readonly label: string;
  readonly numbers: ExperimentNumbers;
}) {
  const { columns } = words;
  const hasRevenue = numbers.variants.some(({ revenue }) => revenue !== null);
  return (
    <Table
      label={label}
      rows={numbers.variants}
      keyOf={({ name }) => name}
      columns={[
        {
          text: columns.variant,
          cell: ({ name }) => (
            <>
              {name} {name === numbers.baseline && <Badge>{words.rates.baseline}</Badge>}
            </>
          ),
        },
        { text: columns.visitors, class: 'number', cell: ({ visitors }) => visitors },
        { text: columns.conversions, class: 'number', cell: ({ conversions }) => conversions },
        {
          text: columns.rate,
          class: 'number',
          cell: ({ rate, interval }) => withInterval(words.percent(rate), words.rates.interval(...interval)),
        },
        { text: columns.lift, class: 'number', cell: liftOf },
        {
          text: columns.best,
          class: 'number',
          cell: ({ probabilityBest }) => words.percent(probabilityBest, 1),
        },
        ...(hasRevenue ? [{ text: columns.revenue, class: 'number', cell: revenueOf }] : []),
      ]}
    />
  );
}

function liftOf({ lift, liftInterval }: Schemas.ExperimentVariant) {
  if (lift === null) return <span class="quiet">{words.none}</span>;
  return withInterval(words.signed(lift), liftInterval?.map(words.signed).join(' … '));
}

function revenueOf({ revenue }: Schemas.ExperimentVariant) {
  const { number } = texts.shell;
  return withInterval(number(revenue?.perVisitor ?? 0), revenue?.interval?.map(number).join(' … '));
}

function withInterval(value: string, interval: string | undefined) {
  return (
    <>
      {value}
      {interval && (
        <>
          <br />
          <span class="quiet">{interval}</span>
        </>
      )}
    </>
  );
}
