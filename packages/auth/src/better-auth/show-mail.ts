import { channel } from 'node:diagnostics_channel'
import type { AuthMail } from '../auth-mail.ts'

/** Where development tools hear of mails that are only shown, by `subscribe('sdk:auth:mail', (mail) => …)`. */
const mailChannel = channel('sdk:auth:mail')

/** Stands in for a mail server in development: the link appears in the terminal, and where tools listen. */
export function showMail(mail: AuthMail): void {
  mailChannel.publish(mail)
  // oxlint-disable-next-line no-console -- for the person at the terminal, in whatever form the log has
  console.log(`\n  Mail to ${mail.to}: ${mail.subject}\n  ${mail.url}\n`)
}
