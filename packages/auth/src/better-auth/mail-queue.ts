import { setTimeout } from 'node:timers/promises'
import { createLog, type Log } from '@sdk/server'
import type { AuthEmailSettings, AuthMail } from '../auth-mail.ts'

/** A queue that sends emails in the background. `flush` waits for pending emails, but only for a limited time. */
export type MailQueue = { add(mail: AuthMail): void; flush(): Promise<void> }

/** The maximum number of pending emails, so that a hanging mail server cannot exhaust memory. */
const MAX_PENDING_MAILS = 1000

const FLUSH_TIMEOUT_MS = 5000

/** Creates a queue that tries to send each email once and logs failures. */
export function createMailQueue({ send }: Pick<AuthEmailSettings, 'send'>, log: Log = createLog()): MailQueue {
  const pending = new Set<Promise<unknown>>()
  return {
    // Sending is not awaited, because the response time would reveal whether an account exists.
    add(mail) {
      const { kind, user } = mail
      if (pending.size >= MAX_PENDING_MAILS)
        return log.error('auth dropped an email: too many emails are pending', { kind, userId: user.id })
      const sent: Promise<unknown> = Promise.resolve()
        .then(() => send?.(mail))
        .catch((error: unknown) => log.error('auth could not send an email', { kind, userId: user.id, error }))
        .finally(() => pending.delete(sent))
      pending.add(sent)
    },
    async flush() {
      if (pending.size > 0)
        await Promise.race([Promise.all(pending), setTimeout(FLUSH_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

/** Logs a warning at startup if no email can be sent. */
export function warnWithoutMail({ send }: Pick<AuthEmailSettings, 'send'>, log: Log): void {
  if (send !== null) return
  log.warn(
    'auth cannot send emails, so users cannot reset a password or verify an address: pass email: { send } to createAuth. Until then, the email routes respond with 400',
  )
}
