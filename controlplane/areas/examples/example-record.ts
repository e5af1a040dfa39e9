import { shownId } from '../drafts/public.js';
import type { Answer } from './answer-visit.js';
import type { AnswerRecord, ExamplesRun } from './example-schema.js';
import type { ExampleRun } from './example-service.js';

/** Returns a run as the API shows it. */
export function runRecord({ state, results, sources }: ExampleRun): ExamplesRun {
  const passed = results.filter(({ passes }) => passes).length;
  const answerRecord = ({ ruleId, variant, entryId, ...answer }: Answer): AnswerRecord => ({
    ...answer,
    ruleId: ruleId === 0 ? null : shownId(ruleId),
    ruleName: state.rules.get(ruleId)?.name ?? null,
    variant: variant || null,
    source: sources.get(entryId) ?? null,
  });
  return {
    summary: { total: results.length, passed, failed: results.length - passed },
    results: results.map(({ example: { name }, passes, received, message }) => ({
      name,
      status: passes ? 'passed' : 'failed',
      received: received.map(answerRecord),
      message,
    })),
  };
}
