import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { useErrorPages } from '../../http/pages/error-pages.js';
import { takeForms } from '../../http/pages/forms.js';
import { type Html, html } from '../../http/pages/html.js';
import { sendPage, wayBack } from '../../http/pages/page.js';
import type { PasswordService } from './password-service.js';
import { LinkTokenSchema, NewPasswordSchema } from './user-schema.js';
import { callerOf, RESET_PATH, type UserService, VERIFY_PATH } from './user-service.js';

export interface LinkPagesDeps {
  readonly users: UserService;
  readonly passwords: PasswordService;
  readonly dashboardUrl: string | undefined;
  readonly hasConsole: boolean;
}

const VERIFY_FORM = '/auth/pages/email-verify';
const RESET_FORM = '/auth/pages/password-reset';

/** Addresses relative to the pages: a reverse proxy may serve all of them below a base path. */
const VERIFY_ACTION = '../pages/email-verify';
const RESET_ACTION = '../pages/password-reset';
const CONSOLE_LOG_IN = '../../console/log-in';

const config = { public: true };
const { token } = LinkTokenSchema.properties;
const querystring = Type.Object({ token });
const ResetFormSchema = Type.Object({ token, newPassword: NewPasswordSchema });

/**
 * Pages behind the links in mails, for installations without a dashboard. Opening a page changes nothing, because mail
 * scanners open links too. Sending its form does.
 */
export function createLinkPages({
  users,
  passwords,
  dashboardUrl,
  hasConsole,
}: LinkPagesDeps): FastifyPluginAsyncTypebox {
  const wayToLogIn =
    dashboardUrl === undefined && hasConsole
      ? html`<p><a href="${CONSOLE_LOG_IN}">Log in</a></p>`
      : wayBack(dashboardUrl);
  const page = (title: string, body: Html) => ({ title, body, isSandbox: false });

  return async (app) => {
    takeForms(app);
    useErrorPages(app, { isSandbox: false, dashboardUrl });

    app.get(VERIFY_PATH, { config, schema: { hide: true, querystring } }, async ({ query }, reply) =>
      sendPage(
        reply,
        page(
          'Confirm your e-mail address',
          html`<form method="post" action="${VERIFY_ACTION}">
<input type="hidden" name="token" value="${query.token}"><button>Confirm</button></form>`,
        ),
      ),
    );

    app.post(
      VERIFY_FORM,
      { config, schema: { hide: true, body: Type.Object({ token }) } },
      async (request, reply) => {
        await users.confirmEmail(request.body.token, callerOf(request));
        const text = html`<p>Your e-mail address is confirmed. You can log in now.</p>${wayToLogIn}`;
        return sendPage(reply, page('Thank you', text));
      },
    );

    app.get(RESET_PATH, { config, schema: { hide: true, querystring } }, async ({ query }, reply) =>
      sendPage(
        reply,
        page(
          'Choose a new password',
          html`<form method="post" action="${RESET_ACTION}">
<input type="hidden" name="token" value="${query.token}">
<p><label>New password (8 to 200 characters)<br>
<input type="password" name="newPassword" minlength="8" maxlength="200" required autocomplete="new-password">
</label></p><button>Save</button></form>`,
        ),
      ),
    );

    app.post(
      RESET_FORM,
      { config, schema: { hide: true, body: ResetFormSchema } },
      async ({ body, callerAddress }, reply) => {
        await passwords.reset(body, callerAddress);
        const text = html`<p>Your password is changed. Log in with it.</p>${wayToLogIn}`;
        return sendPage(reply, page('Your password is changed', text));
      },
    );
  };
}
