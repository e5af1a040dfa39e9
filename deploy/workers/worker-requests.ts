const TIMEOUT_MS = 1_000;
/** Maximum number of questions that wait for an answer. */
const MAX_WAITING = 1_000;

/** Requests of one kind to one worker. */
export interface WorkerRequests<Question, Answer> {
  /** Returns undefined if no answer arrives in time, or too many questions are waiting. */
  ask(question: Question): Promise<Answer | undefined>;
  answer(id: number, answer: Answer): void;
}

/** @param send sends the question with this number */
export function createWorkerRequests<Question, Answer>(
  send: (id: number, question: Question) => void,
): WorkerRequests<Question, Answer> {
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  let nextId = 1;
  return {
    ask: (question) =>
      new Promise((resolve) => {
        if (waiting.size >= MAX_WAITING) return resolve(undefined);
        const id = nextId++;
        const settle = (answer: Answer | undefined): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(answer);
        };
        // After a stall of this process, answers that have arrived are read before the `setImmediate`.
        const timer = setTimeout(() => setImmediate(settle, undefined), TIMEOUT_MS);
        waiting.set(id, settle);
        send(id, question);
      }),
    answer: (id, answer) => waiting.get(id)?.(answer),
  };
}
