import type { FastifyInstance, FastifyRequest } from 'fastify';
import { settleError } from '../error-answers.js';
import { html } from './html.js';
import { sendPage, wayBack } from './page.js';

export interface ErrorPagesOptions {
  readonly isSandbox: boolean;
  readonly dashboardUrl: string | undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  404: 'This page does not exist',
  429: 'Too many requests',
};

/** Answers errors of the routes of `app` with a page if the request accepts HTML, and with JSON otherwise. */
export function useErrorPages(app: FastifyInstance, { isSandbox, dashboardUrl }: ErrorPagesOptions): void {
  app.setErrorHandler((error, request, reply) => {
    if (!wantsPage(request)) throw error;
    const { status, message } = settleError(error, request, reply);
    const title = TITLES[status] ?? (status < 500 ? 'This cannot be done' : 'This page is not available');
    const body = html`<p>${message}</p>${wayBack(dashboardUrl)}`;
    return sendPage(reply.code(status), { title, body, isSandbox });
  });
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}
