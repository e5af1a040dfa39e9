import { NativeWriter } from './native-writer.js';

/** A list of texts, each as a String of the Native format. It is a column or the dictionary of a column. */
export class TextList {
  private readonly writer = new NativeWriter();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get byteLength(): number {
    return this.writer.length;
  }

  /** Returns a view that is valid until the next text is added. */
  get bytes(): Uint8Array {
    return this.writer.written();
  }

  add(text: string): void {
    this.writer.text(text);
    this.count += 1;
  }

  clear(): void {
    this.writer.clear();
    this.count = 0;
  }
}

/** The dictionary of a LowCardinality(String) column. It assigns an index to each text. */
export class TextDictionary {
  private readonly texts = new TextList();
  private readonly indexes = new Map<string, number>();
  private lastText: string | undefined;
  private lastIndex = 0;

  get size(): number {
    return this.texts.size;
  }

  get byteLength(): number {
    return this.texts.byteLength;
  }

  get bytes(): Uint8Array {
    return this.texts.bytes;
  }

  /** Returns the text's index. A new text gets the next index. */
  indexOf(text: string): number {
    // Many columns have the same value in consecutive hits, and comparing is faster than a look-up.
    if (text === this.lastText) return this.lastIndex;
    let index = this.indexes.get(text);
    if (index === undefined) {
      index = this.texts.size;
      this.indexes.set(text, index);
      this.texts.add(text);
    }
    this.lastText = text;
    this.lastIndex = index;
    return index;
  }

  clear(): void {
    this.texts.clear();
    this.indexes.clear();
    this.lastText = undefined;
  }
}
