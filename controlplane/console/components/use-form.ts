import { WaymarkError } from '@waymark/client';
import { useRef, useState } from 'preact/hooks';
import { type Bound, FieldError } from './field';
import { messageOf } from './messages';

export interface FormOptions<V> {
  readonly initial: V;
  /** Name of the draft in the tab's storage. Forms with passwords must not have one. */
  readonly draft?: string;
  /** Sends the values. A thrown error is shown in the form. */
  readonly submit: (values: V) => Promise<void>;
  /**
   * Returns the form field that shows an error of an API member (dotted path). Default: the field with the same path.
   */
  readonly fieldOf?: (path: string) => string | undefined;
}

export interface FormState<V> {
  readonly values: V;
  /** Error that does not belong to a visible field. */
  readonly error: string | undefined;
  readonly isBusy: boolean;
  readonly isChanged: boolean;
  /** Whether the values come from a draft of an earlier page load or session. */
  readonly isRestored: boolean;
  bind<K extends keyof V & string>(name: K): Bound<V[K]>;
  /** Returns the API's error message for a member of the body, or for a member nested in it. */
  messageAt(path: string): string | undefined;
  set(values: Partial<V>): void;
  reset(values: V): void;
  /** Deletes the draft and restores the initial values. */
  discard(): void;
  /** Handles the `submit` event. */
  onSubmit(event: Event): void;
}

interface Problem {
  readonly message: string;
  /** Field of the form that has the error. */
  readonly field: string | undefined;
  /** API member that has the error (dotted path). */
  readonly path: string | undefined;
}

/** Holds the state of a form: its values, the API's error, and a draft that survives a reload. */
export function useForm<V extends object>({ initial, draft, submit, fieldOf }: FormOptions<V>): FormState<V> {
  const [restored] = useState(() => readDraft<V>(draft));
  const [isRestored, setRestored] = useState(Object.keys(restored).length > 0);
  const [values, setValues] = useState<V>({ ...initial, ...restored });
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const base = useRef(initial);
  /** Fields that the current render shows. `shown` has those of the previous render. */
  const bound = useRef(new Set<string>());
  const shown = useRef(bound.current);
  shown.current = bound.current;
  bound.current = new Set();

  function change(changed: Partial<V>) {
    const next = { ...values, ...changed };
    setValues(next);
    writeDraft(draft, changedOf(next, base.current));
    if (problem?.field !== undefined && (problem.field.split('.')[0] as string) in changed)
      setProblem(undefined);
  }

  async function run(element: HTMLFormElement) {
    setBusy(true);
    setProblem(undefined);
    try {
      await submit(values);
      clearDraft(draft);
      setRestored(false);
    } catch (error) {
      const path = error instanceof WaymarkError ? error.field : undefined;
      const field = error instanceof FieldError ? error.field : path && (fieldOf ? fieldOf(path) : path);
      setProblem({ path, field, message: messageOf(error) });
      focusField(element, field);
    } finally {
      setBusy(false);
    }
  }

  /** Returns the field of the error. If that field is not visible, returns the one that contains it. */
  const shownField = () => {
    const field = problem?.field;
    if (field === undefined) return undefined;
    return shown.current.has(field) ? field : field.split('.')[0];
  };

  function reset(next: V) {
    base.current = next;
    setValues(next);
    setProblem(undefined);
    setRestored(false);
    clearDraft(draft);
  }

  return {
    values,
    get error() {
      const field = shownField();
      return field !== undefined && shown.current.has(field) ? undefined : problem?.message;
    },
    isBusy,
    isChanged: JSON.stringify(values) !== JSON.stringify(base.current),
    isRestored,
    bind(name) {
      bound.current.add(name);
      return {
        name,
        value: values[name],
        error: shownField() === name ? problem?.message : undefined,
        set: (value) => change({ [name]: value } as unknown as Partial<V>),
      };
    },
    messageAt: (path) =>
      problem?.path === path || problem?.path?.startsWith(`${path}.`) ? problem.message : undefined,
    set: change,
    reset,
    discard: () => reset(base.current),
    onSubmit(event) {
      event.preventDefault();
      if (!isBusy) void run(event.currentTarget as HTMLFormElement);
    },
  };
}

function focusField(form: HTMLFormElement, field: string | undefined): void {
  if (field === undefined) return;
  const control = form.elements.namedItem(field) ?? form.elements.namedItem(field.split('.')[0] ?? '');
  if (control instanceof HTMLElement) control.focus();
}

/** Returns the members that differ. A draft holds only these, so restoring it does not revert changes by others. */
function changedOf<V extends object>(values: V, former: V): Partial<V> {
  const names = Object.keys(values) as (keyof V)[];
  return Object.fromEntries(
    names.filter((name) => values[name] !== former[name]).map((name) => [name, values[name]]),
  ) as Partial<V>;
}

/** Prefix of the form drafts in the tab's storage. Drafts survive a reload and the end of a session. */
const PREFIX = 'waymark-draft-';

function readDraft<V extends object>(name: string | undefined): Partial<V> {
  if (name === undefined) return {};
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? '{}') as Partial<V>;
  } catch {
    return {};
  }
}

function writeDraft(name: string | undefined, values: object): void {
  if (name !== undefined) sessionStorage.setItem(PREFIX + name, JSON.stringify(values));
}

function clearDraft(name: string | undefined): void {
  if (name !== undefined) sessionStorage.removeItem(PREFIX + name);
}

/** Deletes all drafts. Called when the user logs out. */
export function clearDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}
