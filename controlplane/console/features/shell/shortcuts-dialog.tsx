import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog';
import { CheckField } from '../../components/field';
import { texts } from '../../texts/texts';
import { chooseSingleKeys, readSingleKeys } from './use-shortcuts';

const { shortcuts } = texts.shell;
const LIST: readonly (readonly [string, string])[] = [
  ['Ctrl K / ⌘K', shortcuts.finder],
  ['/', shortcuts.search],
  ['c', shortcuts.create],
  ['r', shortcuts.toRedirects],
  ['a', shortcuts.toAccount],
  ['?', shortcuts.help],
];

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const [isOn, setOn] = useState(readSingleKeys);
  return (
    <Dialog title={shortcuts.title} onClose={onClose}>
      <dl class="keys">
        {LIST.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label={shortcuts.singleKeys}
        bound={{
          name: 'singleKeys',
          value: isOn,
          error: undefined,
          set(value) {
            chooseSingleKeys(value);
            setOn(value);
          },
        }}
      />
    </Dialog>
  );
}
