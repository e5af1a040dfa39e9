import { NativeWriter } from './native-writer.js';

/** Texts one after the other, each as a String of the Native format: a column, or the dictionary of one. */
export class TextList {
  private readonly writer = new NativeWriter();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get byteLength(): number {
    return this.writer.length;
  }

  /** A view, good until the next text is added. */
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

/** The dictionary of a LowCardinality(String) column, which gives each text its index. */
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

  /** The text's index: the next one where it has not come before. */
  indexOf(text: string): number {
    // Many columns say the same hit for hit, and comparing is quicker than looking up.
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
