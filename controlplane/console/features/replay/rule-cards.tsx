import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { Note } from '../../components/messages';
import { Table } from '../../components/table';
import { texts } from '../../texts/texts';

const { rules: words, gaps, versions: versionWords, percent } = texts.replay;
const TONES: Readonly<Record<Schemas.Replay['rules'][number]['state'], Tone>> = {
  decides: 'good',
  shadowed: 'warning',
  matches_nothing: 'warning',
  unknown: 'neutral',
  removed: 'neutral',
};

/** Shows how many visits each rule has decided, and how many it would decide. */
export function RuleCard({ rules }: { readonly rules: Schemas.Replay['rules'] }) {
  if (rules.length === 0) return null;
  const { columns } = words;
  return (
    <Card title={words.title} flush>
      <Table
        label={words.title}
        rows={rules}
        keyOf={({ ruleId }) => ruleId}
        columns={[
          { text: columns.rule, cell: ({ name }) => name },
          { text: columns.before, class: 'number', cell: ({ before }) => before },
          { text: columns.after, class: 'number', cell: ({ after }) => after },
          {
            text: columns.state,
            cell: ({ state }) => <Badge tone={TONES[state]}>{words.states[state]}</Badge>,
          },
        ]}
      />
    </Card>
  );
}

/** Lists data that visits lack, with the share of visits whose outcome is unknown without them. */
export function GapCard({ unjudged }: { readonly unjudged: Schemas.Replay['unjudged'] }) {
  if (unjudged.length === 0) return null;
  const { columns } = gaps;
  return (
    <Card title={gaps.title} lead={gaps.lead}>
      <Table
        label={gaps.title}
        rows={unjudged}
        keyOf={({ attribute, reason }) => `${attribute} ${reason}`}
        columns={[
          { text: columns.attribute, cell: ({ attribute }) => attribute.replaceAll('_', ' ') },
          { text: columns.reason, cell: ({ reason }) => gaps.reasons[reason] },
          { text: columns.visits, class: 'number', cell: ({ visits }) => visits },
          { text: columns.share, class: 'number', cell: ({ share }) => percent(share) },
        ]}
      />
    </Card>
  );
}

/** Shows the versions that answered the visits, if they may explain a difference. */
export function VersionCard({ replay: { versions, startsAtVersion } }: { readonly replay: Schemas.Replay }) {
  if (versions.length === 0) return null;
  const total = versions.reduce((sum, { visits }) => sum + visits, 0);
  const { columns } = versionWords;
  return (
    <Card title={versionWords.title} lead={versionWords.lead}>
      {startsAtVersion !== null && <Note>{versionWords.atStart(startsAtVersion)}</Note>}
      {versions.length > 1 && <Note icon="alert">{versionWords.several}</Note>}
      <Table
        label={versionWords.title}
        rows={versions}
        keyOf={({ version }) => String(version)}
        columns={[
          { text: columns.version, cell: ({ version }) => version ?? versionWords.unknown },
          { text: columns.visits, class: 'number', cell: ({ visits }) => visits },
          { text: columns.share, class: 'number', cell: ({ visits }) => percent(visits / total) },
        ]}
      />
    </Card>
  );
}
