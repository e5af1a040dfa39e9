import type { HitColumn } from '../../shared/hits/hit-columns.js';
import { type ColumnWriter, createIndexColumn, type IndexColumn } from '../../shared/native/columns.js';
import { writeTexts } from '../../shared/native/native-block.js';
import { TextDictionary } from '../../shared/native/text-dictionary.js';

/** Writers of some columns of hits. */
export type ColumnWriters = Readonly<Partial<Record<HitColumn, ColumnWriter>>>;

/** Some columns of a batch. */
export interface ColumnGroup {
  readonly writers: ColumnWriters;
  /** Size of the visitors' texts, each distinct one once. Texts derived from them are not larger. */
  textBytes(): number;
  /** Starts the next batch. */
  clear(): void;
}

/**
 * Columns of texts that are derived from a subject that many hits of a batch share, such as their user agent. They
 * are computed once per subject instead of once per hit.
 */
export class DerivedColumns<Name extends string> {
  private readonly columns: readonly DerivedColumn<Name>[];
  private scratch = new Uint32Array(0);

  constructor(names: readonly Name[]) {
    this.columns = names.map((name) => ({
      name,
      dictionary: new TextDictionary(),
      bySubject: createIndexColumn(),
    }));
  }

  /** Size of the distinct texts. */
  get byteLength(): number {
    return this.columns.reduce((sum, { dictionary }) => sum + dictionary.byteLength, 0);
  }

  /** Adds the texts of the next subject. */
  add(facts: Readonly<Record<Name, string>>): void {
    for (const { name, dictionary, bySubject } of this.columns) {
      bySubject.push(dictionary.indexOf(facts[name]));
    }
  }

  /** @param subjects number of the subject of each row, in the order of `add` */
  writers(subjects: () => Uint32Array): Record<Name, ColumnWriter> {
    const entries = this.columns.map(({ name, dictionary, bySubject }) => {
      const write: ColumnWriter = (writer) =>
        writeTexts(writer, dictionary, this.indexesOf(subjects(), bySubject));
      return [name, write] as const;
    });
    return Object.fromEntries(entries) as Record<Name, ColumnWriter>;
  }

  clear(): void {
    for (const { dictionary, bySubject } of this.columns) {
      dictionary.clear();
      bySubject.clear();
    }
  }

  /**
   * Returns each row's index: a view that is valid until the next call. (`map` of a typed array takes ten times as
   * long.)
   */
  private indexesOf(subjects: Uint32Array, bySubject: IndexColumn): Uint32Array {
    if (this.scratch.length < subjects.length) this.scratch = new Uint32Array(2 * subjects.length);
    const indexes = this.scratch.subarray(0, subjects.length);
    for (let row = 0; row < subjects.length; row += 1) indexes[row] = bySubject.at(subjects[row] ?? 0);
    return indexes;
  }
}

interface DerivedColumn<Name> {
  readonly name: Name;
  readonly dictionary: TextDictionary;
  readonly bySubject: IndexColumn;
}
