import type { Schemas } from '@waymark/client';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button';
import { Dialog } from '../../components/dialog';
import { ProblemList } from '../../components/messages';
import { onExamplesBroken } from '../../data/request';
import { texts } from '../../texts/texts';

const { broken: words } = texts.examples;

interface Question {
  readonly examples: readonly Schemas.BrokenExample[];
  readonly answer: (isForced: boolean) => void;
}

/** Asks before any change in the console that breaks examples. */
export function BrokenExamplesDialog() {
  // Concurrent changes can ask at the same time.
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  useEffect(
    () =>
      onExamplesBroken(
        (examples) => new Promise((answer) => setQuestions((asked) => [...asked, { examples, answer }])),
      ),
    [],
  );
  const [question] = questions;
  if (question === undefined) return null;
  const answer = (isForced: boolean) => {
    setQuestions((asked) => asked.filter((other) => other !== question));
    question.answer(isForced);
  };
  return (
    <Dialog title={words.title(question.examples.length)} onClose={() => answer(false)}>
      <p>{words.body}</p>
      <ProblemList problems={question.examples} />
      <div class="dialog-actions">
        <Button data-autofocus onClick={() => answer(false)}>
          {words.keep}
        </Button>
        <Button look="danger" onClick={() => answer(true)}>
          {words.force}
        </Button>
      </div>
    </Dialog>
  );
}
