import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/texts';
import { Button } from './button';
import { messageOf } from './messages';

export interface Toast {
  readonly text: string;
  readonly isError?: boolean;
  /** Action that undoes the reported change. */
  readonly undo?: () => void;
}

const SHOWN_MS = 6_000;
/** A message with an action stays longer, because the user must read it and reach the button. */
const SHOWN_WITH_ACTION_MS = 20_000;

const ShowToast = createContext<(toast: Toast) => void>(() => {});

/** Returns a function that shows a short message at the edge of the window. */
export const useToast = () => useContext(ShowToast);

/** Returns a function that shows an error as a toast. */
export function useErrorToast(): (error: unknown) => void {
  const toast = useToast();
  return (error) => toast({ text: messageOf(error), isError: true });
}

export function Toasts({ children }: { readonly children: ComponentChildren }) {
  const [shown, setShown] = useState<readonly (Toast & { id: number })[]>([]);
  const lastId = useRef(0);
  const dismiss = useCallback((id: number) => setShown((now) => now.filter((toast) => toast.id !== id)), []);
  const show = useCallback((toast: Toast) => {
    lastId.current += 1;
    const id = lastId.current;
    setShown((now) => [...now.slice(-2), { ...toast, id }]);
  }, []);
  return (
    <ShowToast.Provider value={show}>
      {children}
      <div class="toasts" role="status" aria-live="polite">
        {shown.map(({ id, ...toast }) => (
          <ToastLine key={id} toast={toast} onEnd={() => dismiss(id)} />
        ))}
      </div>
    </ShowToast.Provider>
  );
}

/** A message that disappears after a while. It stays while the mouse or the focus is on it. */
function ToastLine({ toast, onEnd }: { readonly toast: Toast; readonly onEnd: () => void }) {
  const { text, isError, undo } = toast;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onEnd, undo === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing happens but that the message stays
    <div
      class={isError ? 'toast toast-error' : 'toast'}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <span>{text}</span>
      {undo && (
        <Button
          small
          onClick={() => {
            onEnd();
            undo();
          }}
        >
          {texts.shell.undo}
        </Button>
      )}
      <Button small icon="close" label={texts.shell.dismiss} onClick={onEnd} />
    </div>
  );
}
