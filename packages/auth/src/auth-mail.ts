import { channel } from 'node:diagnostics_channel'

/** An email with a link, to be sent to a user. */
export interface AuthMail {
  /** The purpose of the email. */
  readonly kind: 'verify-email' | 'reset-password'
  /** The recipient's address. */
  readonly to: string
  /** The recipient. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  /** The subject line. */
  readonly subject: string
  /** Plain text that ends with the link. */
  readonly text: string
  /** The link. */
  readonly url: string
  /** The token in the link, for apps that build their own links. */
  readonly token: string
}

/** Options for sending email. */
export interface AuthEmailOptions {
  /**
   * Sends an email. Requests do not wait for the result, but `auth.close()` does. Errors are logged, and the return
   * value is ignored.
   * @default in development, prints the link to the terminal; in production, sends nothing and disables email routes
   */
  send?: ((mail: AuthMail) => unknown) | undefined
  /** Whether an address must be verified before its user can sign in. @default false */
  requireVerification?: boolean | undefined
  /**
   * The page where users enter a new password. The link in the email opens this page with `?token=`, unless the request
   * specifies a different page.
   * @default '/reset-password'
   */
  resetPath?: string | undefined
}

/** The email options with defaults applied. */
export interface AuthEmailSettings {
  /** The function that sends an email, or null if email is disabled. */
  readonly send: ((mail: AuthMail) => unknown) | null
  readonly requireVerification: boolean
  readonly resetPath: string
}

/** The diagnostics channel for development tools: `subscribe('sdk:auth:mail', (mail) => …)`. */
const mailChannel = channel('sdk:auth:mail')

/** Prints an email's link to the terminal and publishes the email to development tools, instead of sending it. */
export function showMail(mail: AuthMail): void {
  mailChannel.publish(mail)
  // oxlint-disable-next-line no-console -- for the developer at the terminal, independent of the log format
  console.log(`\n  Mail to ${mail.to}: ${mail.subject}\n  ${mail.url}\n`)
}
