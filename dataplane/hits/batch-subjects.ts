/**
 * Maximum number of subjects that are kept between batches. Those of the current batch may exceed it; then all are
 * forgotten.
 */
const MAX_KNOWN = 20_000;
/** Maximum length of their texts, in UTF-16 units. 20,000 user agents of browsers have about 2.5 million. */
const MAX_KNOWN_TEXT_LENGTH = 4 * 1024 * 1024;

/** A value that many hits share, such as a user agent, by its text. */
export class Subject<Facts> {
  /** The last batch with it, and its number in that batch. */
  batch = 0;
  number = 0;

  constructor(
    readonly text: string,
    /** Facts derived from the text. They are computed once for all batches. */
    readonly facts: Facts,
  ) {}
}

/**
 * The subjects of one kind, numbered from 0 in each batch in order of appearance. They are kept between batches,
 * because the next batch has mostly the same ones. One Map per batch made encoding take 1.5 times as long.
 */
export class BatchSubjects<Facts> {
  private readonly remembered = new Map<string, Subject<Facts>>();
  private batch = 1;
  private count = 0;
  private rememberedTextLength = 0;
  private latest: Subject<Facts> | undefined;

  /**
   * @param learn returns the facts of a new subject
   * @param enter is called for each subject of a batch, in the order of their numbers
   */
  constructor(
    private readonly learn: (text: string) => Facts,
    private readonly enter: (subject: Subject<Facts>) => void,
  ) {}

  /** Number of subjects in the batch. */
  get size(): number {
    return this.count;
  }

  /** Number of subjects that are kept. */
  get known(): number {
    return this.remembered.size;
  }

  of(text: string): Subject<Facts> {
    // Most hits have no referrer, and comparing is quicker than looking up.
    if (this.latest?.text === text) return this.latest;
    let subject = this.remembered.get(text);
    if (subject === undefined) {
      subject = new Subject(text, this.learn(text));
      this.remembered.set(text, subject);
      this.rememberedTextLength += text.length;
    }
    this.latest = subject;
    return subject;
  }

  /** Returns the number of a subject in the batch. Adds it if it is new. */
  numberOf(subject: Subject<Facts>): number {
    if (subject.batch !== this.batch) {
      subject.batch = this.batch;
      subject.number = this.count++;
      this.enter(subject);
    }
    return subject.number;
  }

  /** Starts the next batch. */
  clear(): void {
    this.batch += 1;
    this.count = 0;
    // Not within a batch, because a text would get a second number.
    if (this.known > MAX_KNOWN || this.rememberedTextLength > MAX_KNOWN_TEXT_LENGTH) this.forget();
  }

  /** Forgets all subjects. Call it only between two batches. */
  forget(): void {
    this.remembered.clear();
    this.latest = undefined;
    this.rememberedTextLength = 0;
  }
}
