import type { Schemas } from '@waymark/client';
import { Badge, type Tone } from '../../components/badge';
import { Card } from '../../components/layout';
import { TableFrame } from '../../components/table-frame';
import { texts } from '../../texts/texts';

const { rules: words, gaps, percent } = texts.replay;
const TONES: Readonly<Record<Schemas.Replay['rules'][number]['state'], Tone>> = {
  decides: 'good',
  shadowed: 'warning',
  matches_nothing: 'warning',
  unknown: 'neutral',
  removed: 'neutral',
};

/** How many visits each rule has decided, and would decide. */
export function RuleCard({ rules }: { readonly rules: Schemas.Replay['rules'] }) {
  if (rules.length === 0) return null;
  const { rule, before, after, state } = words.columns;
  return (
    <Card title={words.title} flush>
      <TableFrame
        label={words.title}
        columns={[rule, { text: before, isNumber: true }, { text: after, isNumber: true }, state]}
      >
        {rules.map((each) => (
          <tr key={each.ruleId}>
            <td>{each.name}</td>
            <td class="number">{texts.shell.number(each.before)}</td>
            <td class="number">{texts.shell.number(each.after)}</td>
            <td>
              <Badge tone={TONES[each.state]}>{words.states[each.state]}</Badge>
            </td>
          </tr>
        ))}
      </TableFrame>
    </Card>
  );
}

/** Facts that visits lack, with the share of visits that cannot be judged without them. */
export function GapCard({ unjudged }: { readonly unjudged: Schemas.Replay['unjudged'] }) {
  if (unjudged.length === 0) return null;
  const { attribute, reason, visits, share } = gaps.columns;
  return (
    <Card title={gaps.title} lead={gaps.lead}>
      <TableFrame
        label={gaps.title}
        columns={[attribute, reason, { text: visits, isNumber: true }, { text: share, isNumber: true }]}
      >
        {unjudged.map((gap) => (
          <tr key={`${gap.attribute} ${gap.reason}`}>
            <td>{gap.attribute.replaceAll('_', ' ')}</td>
            <td>{gaps.reasons[gap.reason]}</td>
            <td class="number">{texts.shell.number(gap.visits)}</td>
            <td class="number">{percent(gap.share)}</td>
          </tr>
        ))}
      </TableFrame>
    </Card>
  );
}
