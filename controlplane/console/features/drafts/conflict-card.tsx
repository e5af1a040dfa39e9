import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button';
import { Card } from '../../components/layout';
import { texts } from '../../texts/texts';
import { DifferenceTable } from '../history/difference-table';
import type { EditConflict } from './merged-item';

const { conflict: words } = texts.drafts;

/** What somebody else has changed while a form was open. The form keeps what was typed. */
export function ConflictCard({
  conflict,
  onKeep,
}: {
  readonly conflict: EditConflict<unknown>;
  readonly onKeep: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [conflict]);
  return (
    <div ref={element}>
      <Card title={words.title} lead={conflict.theirs === undefined ? words.removed : words.body}>
        {conflict.theirs !== undefined && (
          <DifferenceTable label={words.title} differences={conflict.differences} ruleNames={new Map()} />
        )}
        <div>
          <Button onClick={onKeep}>{words.keep}</Button>
        </div>
      </Card>
    </div>
  );
}
