import type { Rule, Schemas } from '@waymark/client';
import { Table } from '../../components/table';
import { texts } from '../../texts/texts';
import { RuleSummary } from '../rules/rule-summary';

const { history: words } = texts;

/** Lists the differences between two states by member. @param ruleNames names of rules by their id */
export function DifferenceTable({
  label,
  differences,
  ruleNames,
}: {
  readonly label: string;
  readonly differences: readonly Schemas.StateDifference[];
  readonly ruleNames: ReadonlyMap<string, string>;
}) {
  const { what, before, after } = words.columns;
  return (
    <Table
      label={label}
      rows={differences}
      keyOf={({ path }) => path}
      rowClass="difference"
      columns={[
        { text: what, isHeading: true, cell: (difference) => memberText(difference, ruleNames) },
        {
          text: before,
          class: 'difference-before',
          cell: (difference) => <Value value={difference.before} />,
        },
        { text: after, class: 'difference-after', cell: (difference) => <Value value={difference.after} /> },
      ]}
    />
  );
}

/** Describes a member. Uses the name of a rule, and the source of a path table entry. */
function memberText(
  { path, before, after }: Schemas.StateDifference,
  ruleNames: ReadonlyMap<string, string>,
) {
  const [part = '', id = '', ...rest] = path.split('.');
  if (part === 'rules')
    return [words.rule(`“${nameOf(after ?? before) ?? ruleNames.get(id) ?? id}”`), ...rest].join(' · ');
  if (part === 'paths') {
    const entry = rest[0] ?? '';
    if (id === 'options') return [words.parts.options, ...rest].join(' · ');
    return [words.path(sourceOf(after ?? before) ?? entry), ...rest.slice(1)].join(' · ');
  }
  return [words.parts.redirect, id, ...rest].filter(Boolean).join(' · ');
}

const nameOf = (value: unknown) =>
  isRecord(value) && typeof value.name === 'string' ? value.name : undefined;
const sourceOf = (value: unknown) =>
  isRecord(value) && typeof value.source === 'string' ? value.source : undefined;
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Shows a value of the API. Omits empty members of objects. */
function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="quiet">{words.nothing}</span>;
  if (!isRecord(value)) return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
  if (isRule(value)) return <RuleSummary rule={value} />;
  const members = Object.entries(value).filter(([name, member]) => name !== 'id' && !isEmpty(member));
  return (
    <dl class="members">
      {members.map(([name, member]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof member === 'string' ? member : JSON.stringify(member)}</dd>
        </div>
      ))}
    </dl>
  );
}

const isRule = (value: object): value is Rule => 'conditions' in value && 'action' in value;
const isEmpty = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
