import type { Mail } from '../../mail/mail-transport.js';

/** Texts of the mails about an account. `link` is a whole URL. */
export const ACCOUNT_MAILS = {
  signup: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your e-mail address',
    text: `Somebody signed up with this e-mail address and chose a password. If it was you, open this link within 24 hours to create the account:

${link}

The account gets the password that was typed at that signup. If you did not sign up, do not open the link: somebody else knows the password. Ignore this mail, and no account is created.
`,
  }),

  verifyEmail: (to: string, link: string): Mail => ({
    to,
    subject: 'Confirm your e-mail address',
    text: `To confirm the e-mail address of your account, open this link within 24 hours:

${link}

If you have no account with us, ignore this mail.
`,
  }),

  knownAddress: (to: string, link: string): Mail => ({
    to,
    subject: 'You have an account already',
    text: `Somebody signed up with this e-mail address, which has an account already. Log in with your password, or open this link within an hour to choose a new one:

${link}

If this was not you, ignore this mail. Nothing has changed.
`,
  }),

  resetPassword: (to: string, link: string): Mail => ({
    to,
    subject: 'Choose a new password',
    text: `To choose a new password for your account, open this link within an hour:

${link}

If you did not ask for this, ignore this mail. Your password stays as it is.
`,
  }),

  passwordChanged: (to: string): Mail => ({
    to,
    subject: 'Your password was changed',
    text: `The password of your account was changed, and its other sessions have ended.

If this was not you, choose a new password with "forgot password" at once.
`,
  }),

  deletionRequested: (to: string, eraseAt: Date): Mail => ({
    to,
    subject: 'Your account will be deleted',
    text: `You asked us to delete your account. Your redirects are switched off now, and visitors get "410 Gone".

On ${eraseAt.toISOString().slice(0, 16).replace('T', ' ')} UTC we erase the account, its redirects and all statistics. Until then you can log in and restore the account.

If this was not you, log in, restore the account, and change your password.
`,
  }),
};
