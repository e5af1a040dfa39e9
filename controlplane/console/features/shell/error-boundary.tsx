import { Component, type ComponentChildren } from 'preact';
import { Button } from '../../components/button';
import { EmptyState } from '../../components/messages';
import { texts } from '../../texts/texts';

/** Shows what to do when the console itself fails. */
export class ErrorBoundary extends Component<
  { readonly children: ComponentChildren },
  { hasFailed: boolean }
> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main class="entry">
        <EmptyState title={texts.errors.title} body={texts.errors.unexpected} icon="alert">
          <Button look="primary" onClick={() => location.reload()}>
            {texts.shell.retry}
          </Button>
        </EmptyState>
      </main>
    );
  }
}
