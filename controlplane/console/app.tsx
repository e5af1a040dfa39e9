import { QueryClientProvider } from '@tanstack/preact-query';
import { Component, type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { Button } from './components/button';
import { EmptyState } from './components/messages';
import { Toasts } from './components/toasts';
import { pageFacts } from './data/page-facts';
import { createQueryClient } from './data/query-client';
import { BrokenExamplesDialog } from './features/examples/broken-examples-dialog';
import { SessionProvider } from './features/session/session';
import { texts } from './texts/texts';
import { Views } from './views';

/** Composes the console from its routes, data, session and messages. */
export function App() {
  const [client] = useState(createQueryClient);
  return (
    <Router base={`${pageFacts.basePath}/console`}>
      <QueryClientProvider client={client}>
        <ErrorBoundary>
          <Toasts>
            <SessionProvider>
              <Views />
              <BrokenExamplesDialog />
            </SessionProvider>
          </Toasts>
        </ErrorBoundary>
      </QueryClientProvider>
    </Router>
  );
}

/** Shows an error page when the console itself fails. */
class ErrorBoundary extends Component<{ readonly children: ComponentChildren }, { hasFailed: boolean }> {
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
