import type { BetterAuthOptions } from 'better-auth'
import type { AuthEmailSettings, AuthMail } from '../auth-mail.ts'
import type { MailQueue } from './mail-queue.ts'

type MailLink = Pick<AuthMail, 'user' | 'url' | 'token'>

/** The part of the library's options that has to do with mail. */
export function toMailOptions(
  { send, requireVerification, resetPath }: AuthEmailSettings,
  mailQueue: MailQueue,
): Pick<BetterAuthOptions, 'emailAndPassword' | 'emailVerification'> {
  const emailAndPassword = { enabled: true, requireEmailVerification: requireVerification }
  // Without these functions the library's routes answer that they are off.
  if (send === null) return { emailAndPassword }
  return {
    emailAndPassword: {
      ...emailAndPassword,
      sendResetPassword: async (link) => mailQueue.add(toResetMail(link, resetPath)),
    },
    emailVerification: { sendVerificationEmail: async (link) => mailQueue.add(toVerificationMail(link)) },
  }
}

function toResetMail(link: MailLink, resetPath: string): AuthMail {
  const url = new URL(link.url)
  // Paths are logged, queries are not: until a password is chosen, whoever reads the log could do it.
  url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  url.searchParams.set('token', link.token)
  // A link without a page to lead to would only say that it is not valid.
  if (!url.searchParams.get('callbackURL')) url.searchParams.set('callbackURL', resetPath)
  return toMail(
    { ...link, url: url.href },
    {
      kind: 'reset-password',
      subject: 'Reset your password',
      text: 'Somebody, hopefully you, wants to set a new password for your account. If it was not you, do nothing. Otherwise open this link within an hour:',
    },
  )
}

function toVerificationMail(link: MailLink): AuthMail {
  return toMail(link, {
    kind: 'verify-email',
    subject: 'Verify your email address',
    text: 'To verify that this address is yours, open this link within an hour:',
  })
}

/** The text holds nothing that a user chose: a stranger could write to others through it. */
function toMail(
  { user, url, token }: MailLink,
  { kind, subject, text }: Pick<AuthMail, 'kind' | 'subject' | 'text'>,
): AuthMail {
  const { id, email } = user
  // Whoever writes it into a header of the mail must not get two lines.
  const name = user.name.replace(/\p{Cc}+/gu, ' ')
  return { kind, to: email, user: { id, name, email }, subject, text: `${text}\n\n${url}\n`, url, token }
}
