import type { Schemas } from '@waymark/client';
import { TableFrame } from '../../components/table-frame';
import { agoText } from '../../components/times';
import { texts } from '../../texts/texts';

const { producerColumns: columns, producers: title } = texts.operator.dataplanes;
const { number } = texts.shell;

/** How the visits that data planes have recorded have fared. */
export function ProducerTable({ producers }: { readonly producers: readonly Schemas.Producer[] }) {
  return (
    <TableFrame
      label={title}
      columns={[
        columns.id,
        columns.seen,
        { text: columns.recorded, isNumber: true },
        { text: columns.stored, isNumber: true },
        { text: columns.lost, isNumber: true },
        { text: columns.duplicated, isNumber: true },
      ]}
    >
      {producers.map((producer) => (
        <tr key={producer.id}>
          <td>
            <code>{producer.id}</code>
          </td>
          <td>{agoText(producer.seenAt)}</td>
          <td class="number">{number(producer.recorded)}</td>
          <td class="number">{number(producer.stored)}</td>
          <td class={producer.lost > 0 ? 'number field-error' : 'number'}>{number(producer.lost)}</td>
          <td class="number">{number(producer.duplicated)}</td>
        </tr>
      ))}
    </TableFrame>
  );
}
