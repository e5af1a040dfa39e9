import type { Mail } from '../../mail/mail-transport.js';

export interface Excess {
  readonly redirects: number;
  readonly allowed: number;
  readonly planName: string;
}

/** Texts of the mails about redirects beyond the plan. */
export const EXCESS_MAILS = {
  announced: (to: string, { redirects, allowed, planName }: Excess, appliesAt: Date): Mail => ({
    to,
    subject: `Your trial is over: ${redirects - allowed} redirects stop on ${dayOf(appliesAt)}`,
    text: `Your trial is over. You have ${redirects} redirects, and the plan ${planName} allows ${allowed}.

Until ${dayOf(appliesAt)} all of them keep working. After that, the ${allowed} oldest verified redirects keep working, and the others are switched off. Nothing is deleted: they start again as soon as you choose a larger plan.

To keep all redirects, choose a plan. To decide yourself which ones stay, delete those that you no longer need.
`,
  }),

  applied: (to: string, switchedOff: number, { allowed, planName }: Excess): Mail => ({
    to,
    subject: `${switchedOff} of your redirects are switched off`,
    text: `Your redirects beyond the ${allowed} that the plan ${planName} allows are switched off. Their visitors get 404.

Nothing is deleted. They start again as soon as you choose a larger plan.
`,
  }),
};

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
