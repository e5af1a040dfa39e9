import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Icon, type IconName } from './icon';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Shown {
  /** Default: `quiet` for a button with only an icon, otherwise `secondary`. */
  readonly look?: Look;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
  readonly small?: boolean;
}

export type ButtonProps = Shown &
  Omit<JSX.IntrinsicElements['button'], 'icon' | 'children'> & {
    /** Text for screen readers, for a button with only an icon. */
    readonly label?: string;
    /** Whether the action is running. The button then stays focusable and does nothing. */
    readonly isBusy?: boolean;
  };

export function Button({
  icon,
  label,
  small,
  isBusy,
  children,
  look = children === undefined ? 'quiet' : 'secondary',
  onClick,
  ...rest
}: ButtonProps) {
  const isOff = isBusy || rest['aria-disabled'] === true;
  return (
    <button
      type="button"
      {...rest}
      class={classOf(look, small, children === undefined)}
      aria-label={label ?? rest['aria-label']}
      title={label}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link to another view that looks like a button. */
export function LinkButton({
  to,
  look = 'secondary',
  icon,
  small,
  children,
}: Shown & { readonly to: string }) {
  return (
    <Link href={to} class={classOf(look, small, false)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

function classOf(look: Look, small: boolean | undefined, isIconOnly: boolean): string {
  return `button button-${look}${small ? ' button-small' : ''}${isIconOnly ? ' button-icon' : ''}`;
}
