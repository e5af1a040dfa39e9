import type { Schemas } from '@waymark/client';
import { Card } from '../../components/layout';
import { ProblemList } from '../../components/messages';

/** Shows the API's remarks about a table that it has accepted. */
export function DiagnosticsCard({
  title,
  diagnostics,
}: {
  readonly title: string;
  readonly diagnostics: readonly Schemas.PathDiagnostic[];
}) {
  if (diagnostics.length === 0) return null;
  return (
    <Card title={title}>
      <ProblemList problems={diagnostics.map(({ source, message }) => ({ name: source, message }))} />
    </Card>
  );
}
