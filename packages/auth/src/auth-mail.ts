import { channel } from 'node:diagnostics_channel'

/** An email to a user that contains a link. */
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
  /** The token of the link, for apps that build their own links. */
  readonly token: string
}

/** Options for sending email. */
export interface AuthEmailOptions {
  /**
   * Sends an email. Requests never wait for it, `auth.close()` does. Errors are logged; the return value is ignored.
   * @default in development, prints the link in the terminal; in production, sends nothing and disables these routes
   */
  send?: ((mail: AuthMail) => unknown) | undefined
  /** Whether an address must be verified before its user can sign in. @default false */
  requireVerification?: boolean | undefined
  /**
   * The page to enter a new password. The link opens it with `?token=`, unless the request names a page.
   * @default '/reset-password'
   */
  resetPath?: string | undefined
}

/** The options with their defaults applied. */
export interface AuthEmailSettings {
  /** Null if no email is sent. */
  readonly send: ((mail: AuthMail) => unknown) | null
  readonly requireVerification: boolean
  readonly resetPath: string
}

/** The diagnostics channel for development tools: `subscribe('sdk:auth:mail', (mail) => …)`. */
const mailChannel = channel('sdk:auth:mail')

/** Prints the link of an email to the terminal and publishes it to development tools, instead of sending it. */
export function showMail(mail: AuthMail): void {
  mailChannel.publish(mail)
  // oxlint-disable-next-line no-console -- for the developer at the terminal, independent of the log format
  console.log(`\n  Mail to ${mail.to}: ${mail.subject}\n  ${mail.url}\n`)
}
