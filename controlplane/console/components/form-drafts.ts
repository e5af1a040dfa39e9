/** Prefix of form drafts in the tab's storage. Drafts survive the end of a session and a reload. */
const PREFIX = 'waymark-draft-';

export function readDraft<V extends object>(name: string | undefined): Partial<V> {
  if (name === undefined) return {};
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? '{}') as Partial<V>;
  } catch {
    return {};
  }
}

export function writeDraft(name: string | undefined, values: object): void {
  if (name !== undefined) sessionStorage.setItem(PREFIX + name, JSON.stringify(values));
}

export function clearDraft(name: string | undefined): void {
  if (name !== undefined) sessionStorage.removeItem(PREFIX + name);
}

/** Forgets all drafts. Called when the user logs out. */
export function clearDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}
