import type { BetterAuthOptions } from 'better-auth'
import type { AuthEmailSettings, AuthMail } from '../auth-mail.ts'
import type { MailQueue } from './mail-queue.ts'

type MailLink = Pick<AuthMail, 'user' | 'url' | 'token'>

/** Creates the Better Auth options for email. */
export function toMailOptions(
  { send, requireVerification, resetPath }: AuthEmailSettings,
  mailQueue: MailQueue,
): Pick<BetterAuthOptions, 'emailAndPassword' | 'emailVerification'> {
  const emailAndPassword = { enabled: true, requireEmailVerification: requireVerification }
  // Without these functions, Better Auth's email routes respond that they are disabled.
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
  // The token is moved from the path to the query, since paths are logged and anyone who can read the log could use it.
  url.pathname = url.pathname.slice(0, url.pathname.lastIndexOf('/'))
  url.searchParams.set('token', link.token)
  // Without a callback page, Better Auth would treat the link as invalid.
  if (!url.searchParams.get('callbackURL')) url.searchParams.set('callbackURL', resetPath)
  return toMail(
    { ...link, url: url.href },
    {
      kind: 'reset-password',
      subject: 'Reset your password',
      text: 'We received a request to reset your password. If you did not make it, ignore this email. Otherwise, open this link within an hour:',
    },
  )
}

function toVerificationMail(link: MailLink): AuthMail {
  return toMail(link, {
    kind: 'verify-email',
    subject: 'Verify your email address',
    text: 'To verify your email address, open this link within an hour:',
  })
}

/** Creates an email. The text contains no user input, so that attackers cannot use it to send messages to others. */
function toMail(
  { user, url, token }: MailLink,
  { kind, subject, text }: Pick<AuthMail, 'kind' | 'subject' | 'text'>,
): AuthMail {
  const { id, email } = user
  // A line break would allow header injection if the app writes the name into an email header.
  const name = user.name.replace(/\p{Cc}+/gu, ' ')
  return { kind, to: email, user: { id, name, email }, subject, text: `${text}\n\n${url}\n`, url, token }
}
