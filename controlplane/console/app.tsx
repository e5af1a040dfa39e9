import { QueryClientProvider } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { Toasts } from './components/toasts';
import { pageFacts } from './data/page-facts';
import { createQueryClient } from './data/query-client';
import { BrokenExamplesDialog } from './features/examples/broken-examples-dialog';
import { SessionProvider } from './features/session/session';
import { ErrorBoundary } from './features/shell/error-boundary';
import { Views } from './views';

/** Puts the console together: addresses, data, session, messages. */
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
