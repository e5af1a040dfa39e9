import type { Schemas } from '@waymark/client';
import { Link } from 'wouter-preact';
import { useAddressFilter } from '../../components/address-filter';
import { Card } from '../../components/layout';
import { Loaded } from '../../components/messages';
import { QUESTION, useExperiment } from '../../data/experiments';
import { useRules } from '../../data/rules';
import { QuestionFields } from '../../features/experiments/question-fields';
import { FactsCard, IntervalCards, SegmentsCard, VerdictCard } from '../../features/experiments/result-cards';
import { VariantTable } from '../../features/experiments/variant-table';
import type { RedirectPageProps } from '../../features/redirects/redirect-frame';
import { routes } from '../../routing/routes';
import { texts } from '../../texts/texts';

const { experiments: words } = texts;

/** Results of an A/B test or a percentage. */
export default function ResultsPage({ redirect: { id }, params: { ruleId = '' } }: RedirectPageProps) {
  const [question, change] = useAddressFilter(...QUESTION);
  const results = useExperiment(ruleId, question);
  const rule = useRules(id).data?.find((other) => String(other.id) === ruleId);
  return (
    <>
      <div class="part-head">
        <div>
          <Link href={routes.redirectPart(id, 'rules')} class="back">
            {words.back}
          </Link>
          <h2>{words.of(rule?.name ?? ruleId)}</h2>
        </div>
      </div>
      <QuestionFields question={question} goals={results.data?.goals ?? []} onChange={change} />
      <Loaded query={results}>{(data) => <Results ruleId={ruleId} results={data} />}</Loaded>
    </>
  );
}

function Results({
  ruleId,
  results,
}: {
  readonly ruleId: string;
  readonly results: Schemas.ExperimentResults;
}) {
  const isWithoutGoal = results.goal === null && results.goals.length === 0;
  return (
    <>
      <VerdictCard numbers={results} />
      {isWithoutGoal && (
        <Card title={words.noConversions.title}>
          <p>
            {words.noConversions.body} <code>POST /experiments/{ruleId}/conversions</code>.
          </p>
        </Card>
      )}
      <IntervalCards numbers={results} />
      <Card flush>
        <VariantTable label={words.title} numbers={results} />
      </Card>
      <SegmentsCard segments={results.segments} />
      <FactsCard results={results} />
    </>
  );
}
